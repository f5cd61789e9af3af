#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

const uint32_t coffer_epollin = EPOLLIN, coffer_epollpri = EPOLLPRI, coffer_epollout = EPOLLOUT, coffer_epollrdhup = EPOLLRDHUP;
const uint32_t coffer_epollhup = EPOLLHUP, coffer_epollerr = EPOLLERR;
const uint32_t coffer_epolloneshot = EPOLLONESHOT, coffer_epollet = EPOLLET;

int32_t coffer_epoll_create(void) {
    int result = epoll_create1(EPOLL_CLOEXEC);
    return result < 0 ? -errno : result;
}

static int32_t control(int32_t epoll, int operation, int32_t fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, fd, &event) < 0 ? -errno : 0;
}

int32_t coffer_epoll_add(int32_t epoll, int32_t fd, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int32_t coffer_epoll_modify(int32_t epoll, int32_t fd, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int32_t coffer_epoll_remove(int32_t epoll, int32_t fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int32_t coffer_epoll_wait(int32_t epoll, coffer_event *events, int32_t maximum, int32_t milliseconds) {
    struct epoll_event found[COFFER_EVENTS_MAXIMUM];
    if (maximum > COFFER_EVENTS_MAXIMUM) maximum = COFFER_EVENTS_MAXIMUM;
    int count = epoll_wait(epoll, found, maximum, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        events[i].token = found[i].data.u64;
        events[i].events = found[i].events;
    }
    return count;
}

int32_t coffer_event_create(void) {
    int result = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return result < 0 ? -errno : result;
}

int32_t coffer_timer_create(void) {
    int result = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return result < 0 ? -errno : result;
}

int32_t coffer_timer_arm(int32_t fd, int64_t nanoseconds) {
    struct itimerspec time = {
        .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    return timerfd_settime(fd, 0, &time, NULL) < 0 ? -errno : 0;
}

const int32_t coffer_sigterm = SIGTERM, coffer_sigint = SIGINT, coffer_sighup = SIGHUP, coffer_sigkill = SIGKILL;
const int32_t coffer_sigstop = SIGSTOP, coffer_sigcont = SIGCONT, coffer_sigchld = SIGCHLD;

static sigset_t set_of(const int32_t *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
    return set;
}

int32_t coffer_signals_block(const int32_t *signals, size_t count) {
    sigset_t set = set_of(signals, count);
    return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int32_t coffer_signals_create(const int32_t *signals, size_t count) {
    sigset_t set = set_of(signals, count);
    int result = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return result < 0 ? -errno : result;
}

int32_t coffer_signals_read(int32_t fd) {
    struct signalfd_siginfo information;
    ptrdiff_t count = coffer_read(fd, &information, sizeof information);
    if (count == -EAGAIN) return 0;
    return count < 0 ? (int32_t)count : (int32_t)information.ssi_signo;
}

int32_t coffer_signal_raise(int32_t signal) { return -pthread_kill(pthread_self(), signal); }

int32_t coffer_watch_create(void) {
    int result = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return result < 0 ? -errno : result;
}

int32_t coffer_watch_add(int32_t fd, const char *path) {
    int result = inotify_add_watch(fd, path, IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
    return result < 0 ? -errno : result;
}

int32_t coffer_watch_add_names(int32_t fd, const char *path) {
    // IN_CREATE: a file that gets its name when it is whole.
    const uint32_t events =
        IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
    int result = inotify_add_watch(fd, path, events | IN_ONLYDIR);
    return result < 0 ? -errno : result;
}

int32_t coffer_watch_remove(int32_t fd, int32_t watch) { return inotify_rm_watch(fd, watch) < 0 ? -errno : 0; }

int32_t coffer_watch_read(int32_t fd, int32_t *watches, char *names, int32_t maximum) {
    // No event is shorter than one without a name, and the longest of a folder's must fit.
    _Alignas(struct inotify_event) char bytes[64 * sizeof(struct inotify_event)];
    size_t room = sizeof(bytes);
    size_t longest = sizeof(struct inotify_event) + NAME_MAX + 1;
    if (maximum < 1) return -EINVAL;
    if ((size_t)maximum * sizeof(struct inotify_event) < room) room = (size_t)maximum * sizeof(struct inotify_event);
    if (room < longest) room = longest;
    ssize_t count = read(fd, bytes, room);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    int32_t found = 0;
    for (ssize_t place = 0; found < maximum && place + (ssize_t)sizeof(struct inotify_event) <= count;) {
        const struct inotify_event *event = (const struct inotify_event *)(bytes + place);
        char *name = names + (size_t)found * COFFER_WATCH_NAME;
        size_t length = event->len > 0 ? strnlen(event->name, COFFER_WATCH_NAME - 1) : 0;
        memcpy(name, event->name, length);
        name[length] = 0;
        watches[found++] = event->wd;
        place += (ssize_t)(sizeof(struct inotify_event) + event->len);
    }
    return found;
}
