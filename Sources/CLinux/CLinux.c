#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const int32_t coffer_enoent = ENOENT, coffer_eloop = ELOOP, coffer_eagain = EAGAIN, coffer_epipe = EPIPE, coffer_econnreset = ECONNRESET;
const int32_t coffer_enospc = ENOSPC, coffer_edquot = EDQUOT, coffer_eperm = EPERM, coffer_eopnotsupp = EOPNOTSUPP, coffer_emlink = EMLINK;
const int32_t coffer_eexist = EEXIST, coffer_eisdir = EISDIR, coffer_einval = EINVAL, coffer_esrch = ESRCH, coffer_eintr = EINTR;
const int32_t coffer_eacces = EACCES, coffer_erofs = EROFS, coffer_enolck = ENOLCK, coffer_enosys = ENOSYS;
const int32_t coffer_emfile = EMFILE, coffer_enfile = ENFILE, coffer_enomem = ENOMEM, coffer_ebadf = EBADF;

void coffer_error_text(int32_t number, char *text, size_t size) {
    char own[128];
    snprintf(text, size, "%s", strerror_r(number, own, sizeof own));
}

// Linux frees the number even where close(2) says EINTR, so it is never repeated.
void coffer_close(int32_t fd) { close(fd); }

int32_t coffer_duplicate(int32_t fd) {
    int result = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return result < 0 ? -errno : result;
}

ptrdiff_t coffer_read(int32_t fd, void *bytes, size_t count) {
    ssize_t result;
    do result = read(fd, bytes, count);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

ptrdiff_t coffer_read_at(int32_t fd, void *bytes, size_t count, int64_t offset) {
    ssize_t result;
    do result = pread(fd, bytes, count, offset);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

ptrdiff_t coffer_write_at(int32_t fd, const void *bytes, size_t count, int64_t offset) {
    ssize_t result;
    do result = pwrite(fd, bytes, count, offset);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

ptrdiff_t coffer_write(int32_t fd, const void *bytes, size_t count) {
    ssize_t result;
    do result = write(fd, bytes, count);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int32_t coffer_pipe(int32_t ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0; }

int32_t coffer_trace_pipe(int32_t ends[2], int32_t bytes) {
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    fcntl(ends[1], F_SETPIPE_SZ, bytes);  // Where the user has no more, the usual size has to do.
    return fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int32_t coffer_wait_ready(int32_t fd, int32_t for_writing, int64_t nanoseconds) {
    struct pollfd entry = {.fd = fd, .events = for_writing ? POLLOUT : POLLIN};
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int result = ppoll(&entry, 1, nanoseconds < 0 ? NULL : &time, NULL);
    return result < 0 ? -errno : result;
}
