#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const int32_t coffer_enoent = ENOENT;

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
