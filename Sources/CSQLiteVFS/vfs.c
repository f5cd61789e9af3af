#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instance.h"

#define OURS(pointer) ((coffer_vfs *)(pointer))
#define PLATFORM(pointer) (OURS(pointer)->platform)

static int kind_of_flags(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) {
        return COFFER_VFS_DATABASE;
    }
    if (flags & SQLITE_OPEN_WAL) {
        return COFFER_VFS_WAL;
    }
    return flags & SQLITE_OPEN_MAIN_JOURNAL ? COFFER_VFS_JOURNAL : COFFER_VFS_OTHER;
}

static bool ends_with(const char *name, const char *suffix) {
    size_t length = strlen(name);
    size_t tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

static int kind_of_name(const char *name) {
    if (ends_with(name, "-wal")) {
        return COFFER_VFS_WAL;
    }
    return ends_with(name, "-journal") ? COFFER_VFS_JOURNAL : COFFER_VFS_OTHER;
}

/// Opens a file of a sealed VFS: never for writing, and an absent WAL as an empty one.
static int open_sealed(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *result) {
    coffer_file *ours = (coffer_file *)file;
    sqlite3_file *platform = (sqlite3_file *)ours->platform;
    int wanted = flags;
    if (ours->kind != COFFER_VFS_OTHER) {
        wanted &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE);
        wanted |= SQLITE_OPEN_READONLY;
    }
    int present = 1;
    if (ours->kind == COFFER_VFS_WAL) {
        int code = PLATFORM(vfs)->xAccess(PLATFORM(vfs), name, SQLITE_ACCESS_EXISTS, &present);
        if (code != SQLITE_OK) {
            return code;
        }
    }
    if (!present) {
        file->pMethods = &coffer_missing_methods;
        if (result != NULL) {
            *result = wanted;
        }
        return SQLITE_OK;
    }
    int code = PLATFORM(vfs)->xOpen(PLATFORM(vfs), name, platform, wanted, result);
    if (platform->pMethods != NULL) {
        // Files with names belong to the sealed store; the rest is SQLite's own scratch space.
        file->pMethods = ours->kind == COFFER_VFS_OTHER ? &coffer_file_methods : &coffer_sealed_methods;
    }
    return code;
}

/// Lets an open database be locked as a whole.
static int join_whole(sqlite3_file *file, const char *name) {
    coffer_file *ours = (coffer_file *)file;
    sqlite3_file *platform = (sqlite3_file *)ours->platform;
    int code = coffer_whole_join(ours, name);
    if (code != SQLITE_OK) {
        platform->pMethods->xClose(platform);
        file->pMethods = NULL;
        return code;
    }
    file->pMethods = ours->vfs->sealed ? &coffer_sealed_whole_methods : &coffer_whole_methods;
    return SQLITE_OK;
}

static int open_now(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *result) {
    coffer_file *ours = (coffer_file *)file;
    sqlite3_file *platform = (sqlite3_file *)ours->platform;
    file->pMethods = NULL;
    platform->pMethods = NULL;
    ours->vfs = OURS(vfs);
    ours->kind = kind_of_flags(flags);
    ours->regions = NULL;
    ours->region_count = 0;
    ours->log = (coffer_log){.bytes = NULL};
    ours->opposite = NULL;
    atomic_init(&ours->index, NULL);
    ours->name = name;  // SQLite keeps it as long as the file is open.
    ours->whole = NULL;
    ours->level = SQLITE_LOCK_NONE;
    int code = coffer_vfs_fault(OURS(vfs), COFFER_VFS_OPEN, ours->kind, 0);
    if (code != SQLITE_OK) {
        return code;
    }
    bool is_whole = OURS(vfs)->whole && ours->kind == COFFER_VFS_DATABASE;
    if (OURS(vfs)->sealed) {
        code = open_sealed(vfs, name, file, flags, result);
        return code == SQLITE_OK && is_whole ? join_whole(file, name) : code;
    }
    // The platform opens every file with O_NOFOLLOW, trusting that xFullPathname has resolved links; ours does
    // not, so a link in the last component is refused.
    code = PLATFORM(vfs)->xOpen(PLATFORM(vfs), name, platform, flags, result);
    if (platform->pMethods != NULL) {
        file->pMethods = &coffer_file_methods;
        if (code == SQLITE_OK && is_whole) return join_whole(file, name);
        if (ours->kind == COFFER_VFS_WAL) {
            coffer_log_join(ours, (coffer_file *)sqlite3_database_file_object(name));
        }
    }
    return code;
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *result) {
    coffer_vfs_begin_opening();
    int code = open_now(vfs, name, file, flags, result);
    coffer_vfs_end_opening();
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
    if (OURS(vfs)->sealed) {
        return SQLITE_READONLY;
    }
    int code = coffer_vfs_fault(OURS(vfs), COFFER_VFS_DELETE, kind_of_name(name), 0);
    return code != SQLITE_OK ? code : PLATFORM(vfs)->xDelete(PLATFORM(vfs), name, sync_folder);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return PLATFORM(vfs)->xAccess(PLATFORM(vfs), name, flags, result);
}

/// The name as it is: the caller has resolved its folder, perhaps as /proc/self/fd/N, which must not be followed.
static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int capacity, char *result) {
    (void)vfs;
    size_t length = strlen(name);
    if (capacity <= 0 || length >= (size_t)capacity) {
        return SQLITE_CANTOPEN_FULLPATH;
    }
    memcpy(result, name, length + 1);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *result) {
    return PLATFORM(vfs)->xRandomness(PLATFORM(vfs), count, result);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return PLATFORM(vfs)->xSleep(PLATFORM(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *result) {
    return PLATFORM(vfs)->xCurrentTime(PLATFORM(vfs), result);
}

static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *result) {
    return PLATFORM(vfs)->xCurrentTimeInt64(PLATFORM(vfs), result);
}

static int vfs_last_error(sqlite3_vfs *vfs, int capacity, char *result) {
    return PLATFORM(vfs)->xGetLastError(PLATFORM(vfs), capacity, result);
}

/// Whether this thread opens a file for one of these VFS, and the platform's way to open, for all.
static _Thread_local int opening;
static int (*platform_open)(const char *, int, int);
static pthread_once_t open_once = PTHREAD_ONCE_INIT;

/// Opens what the platform wants to: for ours without waiting for another end, as a FIFO does, and nothing but files and folders.
static int open_without_waiting(const char *path, int flags, int mode) {
    if (opening == 0) {
        return platform_open(path, flags, mode);
    }
    int fd = platform_open(path, flags | O_NONBLOCK, mode);
    struct stat status;
    // SQLite's randomness comes from a device.
    if (fd < 0 || (fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISCHR(status.st_mode)))) {
        return fd;
    }
    close(fd);
    errno = EISDIR;  // The one error at which the platform does not try again with fewer rights.
    return -1;
}

static void replace_open(void) {
    sqlite3_vfs *platform = sqlite3_vfs_find("unix");
    platform_open = (int (*)(const char *, int, int))platform->xGetSystemCall(platform, "open");
    if (platform_open != NULL) {
        platform->xSetSystemCall(platform, "open", (sqlite3_syscall_ptr)open_without_waiting);
    }
}

void coffer_vfs_begin_opening(void) { opening++; }
void coffer_vfs_end_opening(void) { opening--; }

coffer_vfs *coffer_vfs_create(const char *name, bool sealed, int locks) {
    sqlite3_vfs *platform = sqlite3_vfs_find(locks == COFFER_VFS_RANGES ? "unix" : "unix-none");
    if (platform == NULL || platform->iVersion < 3 || strlen(name) >= sizeof(((coffer_vfs *)0)->name)) {
        return NULL;
    }
    pthread_once(&open_once, replace_open);
    coffer_vfs *ours = calloc(1, sizeof(coffer_vfs));
    if (ours == NULL) {
        return NULL;
    }
    strcpy(ours->name, name);
    ours->platform = platform;
    ours->sealed = sealed;
    ours->whole = locks == COFFER_VFS_WHOLE_FILES;
    pthread_mutex_init(&ours->mutex, NULL);
    pthread_cond_init(&ours->changed, NULL);
    ours->vfs = (sqlite3_vfs){
        .iVersion = 2,  // Extensions are not loaded and system calls not replaced, so those methods are absent.
        .szOsFile = (int)(sizeof(coffer_file) + (size_t)platform->szOsFile),
        .mxPathname = platform->mxPathname,
        .zName = ours->name,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_name,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time64,
    };
    if (sqlite3_vfs_register(&ours->vfs, 0) != SQLITE_OK) {
        pthread_cond_destroy(&ours->changed);
        pthread_mutex_destroy(&ours->mutex);
        free(ours);
        return NULL;
    }
    return ours;
}

void coffer_vfs_destroy(coffer_vfs *vfs) {
    sqlite3_vfs_unregister(&vfs->vfs);
    pthread_cond_destroy(&vfs->changed);
    pthread_mutex_destroy(&vfs->mutex);
    free(vfs);
}
