#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { DESCRIPTORS_MAXIMUM = sizeof((coffer_descriptors *)0)->numbers / sizeof(int32_t) };

int32_t coffer_socket_pair(int32_t ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
}

static ptrdiff_t send_message(int32_t fd, const struct msghdr *message) {
    ssize_t result;
    do result = sendmsg(fd, message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

ptrdiff_t coffer_send(
    int32_t fd, const coffer_part *parts, size_t part_count, const int32_t *descriptors, size_t descriptor_count) {
    // A part has the shape of an iovec; only its const differs.
    _Static_assert(sizeof(coffer_part) == sizeof(struct iovec), "a part is an iovec");
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = part_count};
    if (descriptor_count == 0) return send_message(fd, &message);
    if (descriptor_count > DESCRIPTORS_MAXIMUM) return -E2BIG;

    union {
        char bytes[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAXIMUM)];
        struct cmsghdr alignment;
    } control;
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    return send_message(fd, &message);
}

// Takes every descriptor that came: what does not fit is closed, so nothing leaks.
static void collect(struct msghdr *message, coffer_descriptors *descriptors) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int number;
            memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof number);
            if (descriptors->count < DESCRIPTORS_MAXIMUM) {
                descriptors->numbers[descriptors->count++] = number;
            } else {
                descriptors->truncated = 1;
                close(number);
            }
        }
    }
}

ptrdiff_t coffer_receive(int32_t fd, void *bytes, size_t count, coffer_descriptors *descriptors) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAXIMUM)];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message;
    ssize_t result;
    descriptors->count = 0;
    descriptors->truncated = 0;
    do {
        message = (struct msghdr){
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        result = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (message.msg_controllen > 0) collect(&message, descriptors);
    if (message.msg_flags & MSG_CTRUNC) descriptors->truncated = 1;
    return result;
}

int32_t coffer_shut_down(int32_t fd) { return shutdown(fd, SHUT_RDWR) < 0 ? -errno : 0; }

int32_t coffer_notify(const char *address, size_t address_count, const char *text, size_t text_count) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (address_count == 0 || address_count >= sizeof to.sun_path) return -ENAMETOOLONG;
    memcpy(to.sun_path, address, address_count);
    // An abstract name begins with NUL, written '@', and has no NUL at its end.
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + address_count);
    if (address[0] == '@') to.sun_path[0] = 0; else size += 1;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    ssize_t result = sendto(fd, text, text_count, MSG_NOSIGNAL, (struct sockaddr *)&to, size);
    int error = result < 0 ? errno : 0;
    close(fd);
    return -error;
}

ptrdiff_t coffer_send_two(
    int32_t fd, const void *first, size_t first_count, const void *second, size_t second_count,
    const int32_t *descriptors, size_t descriptor_count) {
    // A short message takes the kernel less to copy in one piece than to look for in two.
    char joined[1024];
    if (descriptor_count == 0 && first_count <= sizeof joined && second_count <= sizeof joined - first_count) {
        if (first_count > 0) memcpy(joined, first, first_count);
        if (second_count > 0) memcpy(joined + first_count, second, second_count);
        ssize_t result;
        do result = send(fd, joined, first_count + second_count, MSG_DONTWAIT | MSG_NOSIGNAL);
        while (result < 0 && errno == EINTR);
        return result < 0 ? -errno : result;
    }
    const coffer_part parts[2] = {{first, first_count}, {second, second_count}};
    return coffer_send(fd, parts, 2, descriptors, descriptor_count);
}
