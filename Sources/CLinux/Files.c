#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

const int32_t coffer_o_wronly = O_WRONLY, coffer_o_rdwr = O_RDWR, coffer_o_creat = O_CREAT, coffer_o_excl = O_EXCL;
const int32_t coffer_o_trunc = O_TRUNC, coffer_o_append = O_APPEND, coffer_o_path = O_PATH;
const int32_t coffer_o_directory = O_DIRECTORY, coffer_o_nonblock = O_NONBLOCK, coffer_o_nofollow = O_NOFOLLOW;
const uint32_t coffer_s_ifmt = S_IFMT, coffer_s_ifreg = S_IFREG, coffer_s_ifdir = S_IFDIR, coffer_s_iflnk = S_IFLNK;

int32_t coffer_open(const char *path, int32_t flags, uint32_t mode) {
    return coffer_open_at(AT_FDCWD, path, flags, mode);
}

int32_t coffer_open_at(int32_t folder, const char *path, int32_t flags, uint32_t mode) {
    int result;
    do result = openat(folder, path, flags | O_CLOEXEC | O_NOCTTY, mode);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int32_t coffer_open_beneath(int32_t folder, const char *path, int32_t flags, uint32_t mode) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY) & ~(flags & O_PATH ? (uint64_t)O_NOCTTY : 0),
        .mode = flags & O_CREAT ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    // EAGAIN: something was renamed meanwhile, and the kernel could not be sure that it stayed beneath.
    for (int attempt = 0; attempt < 1000; attempt++) {
        long result = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (result >= 0) return (int32_t)result;
        if (errno != EAGAIN && errno != EINTR) return -errno;
    }
    return -EAGAIN;
}

int32_t coffer_make_folder(int32_t folder, const char *name, uint32_t mode) {
    return mkdirat(folder, name, mode) < 0 ? -errno : 0;
}

int32_t coffer_unlink(int32_t folder, const char *name, int32_t is_folder) {
    return unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) < 0 ? -errno : 0;
}

static bool refuses_link(int error) {
    return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

// What was given its new name before, and kept the old one since that was cut off, loses it; else the name is taken.
static int32_t drop_second_name(int32_t from_folder, const char *from, int32_t to_folder, const char *to) {
    struct stat one, other;
    if (fstatat(from_folder, from, &one, AT_SYMLINK_NOFOLLOW) < 0 ||
        fstatat(to_folder, to, &other, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(one.st_mode) ||
        one.st_dev != other.st_dev || one.st_ino != other.st_ino)
        return -EEXIST;
    return unlinkat(from_folder, from, 0) < 0 ? -errno : 0;
}

// As RENAME_NOREPLACE, on file systems that do not know it (of programs and of networks). A file gets a second
// name and loses the first; what cannot have two takes the place of an empty one of its kind, which nobody else
// can have made.
static int32_t rename_into_free_place(int32_t from_folder, const char *from, int32_t to_folder, const char *to) {
    if (linkat(from_folder, from, to_folder, to, 0) == 0) return unlinkat(from_folder, from, 0) < 0 ? -errno : 0;
    if (!refuses_link(errno)) return -errno;
    struct stat status;
    if (fstatat(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    const bool is_folder = S_ISDIR(status.st_mode);
    if (is_folder) {
        if (mkdirat(to_folder, to, 0700) < 0) return -errno;
    } else {
        int place = openat(to_folder, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (place < 0) return -errno;
        close(place);
    }
    if (renameat(from_folder, from, to_folder, to) == 0) return 0;
    int error = errno;
    unlinkat(to_folder, to, is_folder ? AT_REMOVEDIR : 0);
    return -error;
}

int32_t coffer_rename(
    int32_t from_folder, const char *from, int32_t to_folder, const char *to, int32_t replacing) {
    if (renameat2(from_folder, from, to_folder, to, replacing ? 0 : RENAME_NOREPLACE) == 0) return 0;
    if (!replacing && errno == EEXIST) return drop_second_name(from_folder, from, to_folder, to);
    bool is_unknown = errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
    if (replacing || !is_unknown) return -errno;
    return rename_into_free_place(from_folder, from, to_folder, to);
}

int32_t coffer_link(int32_t from_folder, const char *from, int32_t to_folder, const char *to) {
    return linkat(from_folder, from, to_folder, to, 0) < 0 ? -errno : 0;
}

int32_t coffer_open_unnamed(int32_t folder, uint32_t mode) {
    return coffer_open_at(folder, ".", O_TMPFILE | O_RDWR, mode);
}

int32_t coffer_link_open_file(int32_t fd, int32_t folder, const char *name) {
    // AT_EMPTY_PATH would need CAP_DAC_READ_SEARCH.
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static void fill(coffer_file_facts *facts, const struct stat *status) {
    facts->size = status->st_size;
    facts->device = status->st_dev;
    facts->inode = status->st_ino;
    facts->links = status->st_nlink;
    facts->mode = status->st_mode;
    facts->owner = status->st_uid;
    facts->allocated = (int64_t)status->st_blocks * 512;
    facts->modified_nanoseconds = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

int32_t coffer_stat_at(int32_t folder, const char *name, coffer_file_facts *facts) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    fill(facts, &status);
    return 0;
}

int32_t coffer_is_at(int32_t folder, const char *name, uint64_t device, uint64_t inode) {
    struct statx status;
    // No times: since Linux 6.13 a time that somebody asked for is written anew by the next write, and the next fdatasync takes twice as long.
    if (statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_INO, &status) < 0) return errno == ENOENT ? 0 : -errno;
    return status.stx_ino == inode && makedev(status.stx_dev_major, status.stx_dev_minor) == device;
}

int32_t coffer_stat(int32_t fd, coffer_file_facts *facts) {
    struct stat status;
    if (fstat(fd, &status) < 0) return -errno;
    fill(facts, &status);
    return 0;
}

int32_t coffer_may_write(int32_t folder, const char *name) {
    return faccessat(folder, name, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int32_t coffer_sync(int32_t fd, int32_t data_only) {
    return (data_only ? fdatasync(fd) : fsync(fd)) < 0 ? -errno : 0;
}

int32_t coffer_truncate(int32_t fd, int64_t size) { return ftruncate(fd, size) < 0 ? -errno : 0; }

int32_t coffer_file_system_type(int32_t fd, int64_t *type) {
    struct statfs status;
    if (fstatfs(fd, &status) < 0) return -errno;
    *type = (int64_t)(uint32_t)status.f_type;
    return 0;
}

int32_t coffer_file_system_room(int32_t fd, int64_t *bytes) {
    struct statvfs status;
    if (fstatvfs(fd, &status) < 0) return -errno;
    if (__builtin_mul_overflow(status.f_bavail, status.f_frsize, bytes)) *bytes = INT64_MAX;
    return 0;
}

int32_t coffer_lock_exclusively(int32_t fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return 0;
    return errno == EACCES ? -EAGAIN : -errno;
}

int32_t coffer_is_locked(int32_t fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_GETLK, &lock) < 0) return -errno;
    return lock.l_type == F_UNLCK ? 0 : 1;
}

int32_t coffer_probe_range_lock(int32_t fd) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1 << 30, .l_len = 1};
    if (fcntl(fd, F_OFD_SETLK, &lock) < 0) return errno == EACCES ? -EAGAIN : -errno;
    lock.l_type = F_UNLCK;
    return fcntl(fd, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

int32_t coffer_lock_open_file(int32_t fd) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
    return errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

int32_t coffer_lock_waiting(int32_t fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(fd, F_OFD_SETLKW, &lock) < 0)
        if (errno != EINTR) return -errno;
    return 0;
}

int32_t coffer_unlock(int32_t fd) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

struct coffer_listing {
    DIR *stream;
};

int32_t coffer_listing_open(int32_t folder, coffer_listing **listing) {
    int32_t fd = coffer_open_at(folder, ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return fd;
    DIR *stream = fdopendir(fd);
    coffer_listing *made = malloc(sizeof *made);
    if (!stream || !made) {
        int error = stream ? ENOMEM : errno;
        if (stream) closedir(stream); else close(fd);
        free(made);
        return -error;
    }
    made->stream = stream;
    *listing = made;
    return 0;
}

const char *coffer_listing_next(coffer_listing *listing, int32_t *error) {
    errno = 0;
    struct dirent *entry = readdir(listing->stream);
    *error = entry ? 0 : -errno;
    return entry ? entry->d_name : NULL;
}

void coffer_listing_close(coffer_listing *listing) {
    closedir(listing->stream);
    free(listing);
}

ptrdiff_t coffer_read_link(const char *path, char *target, size_t size) {
    ssize_t result = readlink(path, target, size);
    return result < 0 ? -errno : result;
}

int32_t coffer_memfd_create(const char *name) {
    int result = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return result < 0 ? -errno : result;
}

int32_t coffer_memfd_seal(int32_t fd) {
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    // EBUSY: the kernel has pages of it in hand, as when it makes room. It waited for them 150 ms, and is done soon.
    for (int tries = 0; tries < 20; tries++) {
        if (fcntl(fd, F_ADD_SEALS, seals) == 0) return 0;
        if (errno != EBUSY) break;
    }
    return -errno;
}

int32_t coffer_memfd_is_sealed(int32_t fd) {
    int needed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE, seals = fcntl(fd, F_GET_SEALS);
    // EINVAL: a file of a kind that cannot be sealed.
    if (seals < 0) return errno == EINVAL ? 0 : -errno;
    return (seals & needed) == needed;
}

int32_t coffer_memfd_fix_size(int32_t fd) {
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ? -errno : 0;
}

int32_t coffer_memfd_has_fixed_size(int32_t fd) {
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0) return errno == EINVAL ? 0 : -errno;
    return (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) == (F_SEAL_SHRINK | F_SEAL_GROW);
}

int32_t coffer_map_shared(int32_t fd, size_t size, void **bytes) {
    void *result = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (result == MAP_FAILED) return -errno;
    *bytes = result;
    return 0;
}

int32_t coffer_map(int32_t fd, size_t size, void **bytes) {
    // Private, since kernels before 6.7 refuse a shared mapping of memory that is sealed against writing.
    void *result = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (result == MAP_FAILED) return -errno;
    *bytes = result;
    return 0;
}

void coffer_unmap(void *bytes, size_t size) { munmap(bytes, size); }
