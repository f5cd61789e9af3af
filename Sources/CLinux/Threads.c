#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    void (*body)(void *);
    void *context;
    char name[16];
} thread_start;

static void *run(void *argument) {
    thread_start start = *(thread_start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), start.name);
    start.body(start.context);
    return NULL;
}

int32_t coffer_thread_start(
    void (*body)(void *), void *context, const char *name, size_t stack_size, uint64_t *thread) {
    thread_start *start = calloc(1, sizeof *start);
    if (!start) return -ENOMEM;
    start->body = body;
    start->context = context;
    strncpy(start->name, name, sizeof start->name - 1);

    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN), page = (size_t)sysconf(_SC_PAGESIZE);
    if (stack_size < least) stack_size = least;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (stack_size + page - 1) / page * page);
    pthread_t made;
    int error = pthread_create(&made, &attributes, run, start);
    pthread_attr_destroy(&attributes);
    if (error) free(start); else *thread = (uint64_t)made;
    return -error;
}

int32_t coffer_thread_join(uint64_t thread) { return -pthread_join((pthread_t)thread, NULL); }
int32_t coffer_thread_detach(uint64_t thread) { return -pthread_detach((pthread_t)thread); }

void coffer_thread_name(char *name, size_t size) {
    if (pthread_getname_np(pthread_self(), name, size)) name[0] = 0;
}

int32_t coffer_thread_number(void) {
    return gettid();
}

struct coffer_condition {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

coffer_condition *coffer_condition_create(void) {
    coffer_condition *condition = malloc(sizeof *condition);
    if (!condition) abort();
    pthread_mutex_init(&condition->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition->condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return condition;
}

void coffer_condition_destroy(coffer_condition *condition) {
    pthread_cond_destroy(&condition->condition);
    pthread_mutex_destroy(&condition->mutex);
    free(condition);
}

void coffer_condition_lock(coffer_condition *condition) { pthread_mutex_lock(&condition->mutex); }
void coffer_condition_unlock(coffer_condition *condition) { pthread_mutex_unlock(&condition->mutex); }
void coffer_condition_wait(coffer_condition *condition) {
    pthread_cond_wait(&condition->condition, &condition->mutex);
}

int32_t coffer_condition_wait_until(coffer_condition *condition, uint64_t nanoseconds) {
    struct timespec time = {
        .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    return -pthread_cond_timedwait(&condition->condition, &condition->mutex, &time);
}

void coffer_condition_signal(coffer_condition *condition) { pthread_cond_signal(&condition->condition); }
void coffer_condition_broadcast(coffer_condition *condition) { pthread_cond_broadcast(&condition->condition); }

uint64_t coffer_monotonic_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int64_t coffer_wall_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void coffer_sleep(int64_t nanoseconds) {
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) == EINTR) {}
}

int32_t coffer_processor_count(void) {
    // A machine with more processors than a fixed set holds answers EINVAL; more than one it has for sure.
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) return CPU_SETSIZE;
    return CPU_COUNT(&set);
}

// The C library has no names for these; linux/ioprio.h: three bits of class above thirteen of level.
enum { IO_PRIORITY_THREAD = 1, IO_PRIORITY_IDLE = 3 << 13 };

const int32_t coffer_io_priority_idle = IO_PRIORITY_IDLE;

int32_t coffer_io_priority(void) {
    long result = syscall(SYS_ioprio_get, IO_PRIORITY_THREAD, 0);
    return result < 0 ? -errno : (int32_t)result;
}

int32_t coffer_set_io_priority(int32_t thread, int32_t priority) {
    return syscall(SYS_ioprio_set, IO_PRIORITY_THREAD, thread, priority) < 0 ? -errno : 0;
}

void coffer_yield(void) { sched_yield(); }
