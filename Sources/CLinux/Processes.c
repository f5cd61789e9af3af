#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t coffer_pid(void) { return getpid(); }
uint32_t coffer_uid(void) { return getuid(); }

void coffer_keep_files_private(void) { umask(077); }

void coffer_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int64_t coffer_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > INT64_MAX) return INT64_MAX;
    return (int64_t)limit.rlim_cur;
}

void coffer_tune_allocator(int32_t map_threshold, int32_t trim_threshold) {
    mallopt(M_MMAP_THRESHOLD, map_threshold);
    mallopt(M_TRIM_THRESHOLD, trim_threshold);
}

void coffer_return_memory(void) { malloc_trim(0); }

int64_t coffer_ticks_per_second(void) { return sysconf(_SC_CLK_TCK); }

const char *coffer_environment_entry(size_t index) { return environ ? environ[index] : NULL; }

static int add_streams(posix_spawn_file_actions_t *actions, const coffer_spawn_request *request) {
    const int32_t wanted[3] = {request->input, request->output, request->error};
    for (int i = 0; i < 3; i++) {
        // dup2 onto itself also clears close-on-exec here, as posix_spawn(3) promises.
        int error = wanted[i] < 0 ? posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0)
                                  : posix_spawn_file_actions_adddup2(actions, wanted[i], i);
        if (error) return error;
    }
    // Whatever other code of this process forgot to close on exec stays here.
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

int32_t coffer_spawn(const coffer_spawn_request *request, int32_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    pid_t made = 0;
    int error = add_streams(&actions, request);
    if (!error)
        error = posix_spawnp(
            &made, request->path, &actions, &attributes, request->arguments, request->environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    *pid = made;
    return -error;
}

int32_t coffer_reap(int32_t pid, int32_t wait, int32_t *code, int32_t *signal) {
    int status;
    pid_t result;
    do result = waitpid(pid, &status, wait ? 0 : WNOHANG);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (result == 0) return 0;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 1;
}

int32_t coffer_pidfd_open(int32_t pid) {
    long result = syscall(SYS_pidfd_open, pid, 0);
    return result < 0 ? -errno : (int32_t)result;
}

int32_t coffer_kill(int32_t pid, int32_t signal) { return kill(pid, signal) < 0 ? -errno : 0; }

int32_t coffer_random(void *bytes, size_t count) {
    unsigned char *next = bytes;
    while (count > 0) {
        ssize_t got = getrandom(next, count, 0);
        if (got < 0 && errno != EINTR) return -errno;
        if (got > 0) {
            next += got;
            count -= (size_t)got;
        }
    }
    return 0;
}
