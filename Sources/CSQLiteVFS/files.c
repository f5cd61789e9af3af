#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define OURS(pointer) ((coffer_file *)(pointer))
#define PLATFORM(pointer) ((sqlite3_file *)OURS(pointer)->platform)
#define CALL(pointer, method, ...) PLATFORM(pointer)->pMethods->method(PLATFORM(pointer), ##__VA_ARGS__)
#define FAULT(pointer, operation, bytes) coffer_vfs_fault(OURS(pointer)->vfs, operation, OURS(pointer)->kind, bytes)

static int file_close(sqlite3_file *file) { return CALL(file, xClose); }

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    int code = FAULT(file, COFFER_VFS_READ, count);
    return code != SQLITE_OK ? code : CALL(file, xRead, buffer, count, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    int code = coffer_vfs_tell_writing(OURS(file)->kind, count);
    if (code == SQLITE_OK) code = FAULT(file, COFFER_VFS_WRITE, count);
    if (code == -1) {
        CALL(file, xWrite, buffer, count / 2, offset);
        return SQLITE_IOERR_WRITE;
    }
    return code != SQLITE_OK ? code : CALL(file, xWrite, buffer, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = FAULT(file, COFFER_VFS_TRUNCATE, 0);
    return code != SQLITE_OK ? code : CALL(file, xTruncate, size);
}

static int file_sync(sqlite3_file *file, int flags) {
    int code = FAULT(file, COFFER_VFS_SYNC, 0);
    return code != SQLITE_OK ? code : CALL(file, xSync, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return CALL(file, xFileSize, size); }

// Locks a database as a whole from its first lock on, where that told that its file system knows no others.
static int lock_whole(sqlite3_file *file, int level, int code) {
    int error = 0;
    if ((code & 0xFF) != SQLITE_IOERR || level > SQLITE_LOCK_SHARED) return code;
    CALL(file, xFileControl, SQLITE_FCNTL_LAST_ERRNO, &error);
    if (error != EINVAL && error != ENOSYS && error != EOPNOTSUPP) return code;
    if (coffer_whole_join(OURS(file), OURS(file)->name) != SQLITE_OK) return code;
    file->pMethods = OURS(file)->vfs->sealed ? &coffer_sealed_whole_methods : &coffer_whole_methods;
    return file->pMethods->xLock(file, level);
}

static int file_lock(sqlite3_file *file, int level) {
    int code = CALL(file, xLock, level);
    return code == SQLITE_OK ? code : lock_whole(file, level, code);
}

static int file_unlock(sqlite3_file *file, int level) { return CALL(file, xUnlock, level); }
static int file_reserved(sqlite3_file *file, int *result) { return CALL(file, xCheckReservedLock, result); }
static int file_control(sqlite3_file *file, int what, void *value) { return CALL(file, xFileControl, what, value); }
static int file_sector(sqlite3_file *file) { return CALL(file, xSectorSize); }
static int file_traits(sqlite3_file *file) { return CALL(file, xDeviceCharacteristics); }

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
    int code = FAULT(file, COFFER_VFS_SHM_MAP, 0);
    if (code == SQLITE_OK) {
        coffer_vfs_begin_opening();
        code = CALL(file, xShmMap, region, size, extend, address);
        coffer_vfs_end_opening();
    }
    if (code == SQLITE_OK && region == 0) atomic_store(&OURS(file)->index, (void *)*address);
    return code;
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    // Lock 0 is the one for writing: who gives it up has committed, or leaves frames that are nobody's.
    if (offset == 0 && (flags & SQLITE_SHM_UNLOCK) && (flags & SQLITE_SHM_EXCLUSIVE) && OURS(file)->opposite != NULL) {
        coffer_log_forget(OURS(file)->opposite);
    }
    return CALL(file, xShmLock, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { CALL(file, xShmBarrier); }
static int file_shm_unmap(sqlite3_file *file, int remove) {
    atomic_store(&OURS(file)->index, NULL);
    return CALL(file, xShmUnmap, remove);
}

// Memory mapping is off by design (a shrunken file would kill the service), so version 2, without xFetch.
const sqlite3_io_methods coffer_file_methods = {
    2,          file_close, file_read,    file_write,    file_truncate, file_sync,   file_size,
    file_lock,  file_unlock, file_reserved, file_control, file_sector,  file_traits, file_shm_map,
    file_shm_lock, file_shm_barrier, file_shm_unmap, NULL, NULL,
};

// The counter in the header of a file without a log, see SQLite's "Database File Format", 1.3: read without a
// lock, by pread(2), so that it may have moved before the commit is whole.
static bool header_counter(sqlite3_file *file, uint32_t *value) {
    unsigned char header[28];
    if (CALL(file, xRead, header, sizeof header, 0) != SQLITE_OK || header[18] != 1) return false;
    *value = (uint32_t)header[24] << 24 | (uint32_t)header[25] << 16 | (uint32_t)header[26] << 8 | header[27];
    return true;
}

bool coffer_vfs_change_counter(void *pointer, uint32_t *value) {
    sqlite3_file *file = pointer;
    if (file == NULL || (file->pMethods != &coffer_file_methods && file->pMethods != &coffer_whole_methods)) return false;
    // The header of the index has its fields at fixed places, see SQLite's "WAL-mode File Format", 2.1.
    const unsigned char *index = atomic_load(&OURS(file)->index);
    if (index == NULL) return header_counter(file, value);
    *value = __atomic_load_n((const uint32_t *)(index + 8), __ATOMIC_ACQUIRE);
    return true;
}

// A sealed file: readers only, with an index of its own, for files that nobody changes meanwhile.

static void free_regions(sqlite3_file *file) {
    for (int i = 0; i < OURS(file)->region_count; i++) {
        free(OURS(file)->regions[i]);
    }
    free(OURS(file)->regions);
    OURS(file)->regions = NULL;
    OURS(file)->region_count = 0;
}

static int sealed_close(sqlite3_file *file) {
    free_regions(file);
    return CALL(file, xClose);
}

static int sealed_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    (void)file, (void)buffer, (void)count, (void)offset;
    return SQLITE_READONLY;
}

static int sealed_truncate(sqlite3_file *file, sqlite3_int64 size) {
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int sealed_sync(sqlite3_file *file, int flags) {
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int sealed_lock(sqlite3_file *file, int level) {
    return level > SQLITE_LOCK_SHARED ? SQLITE_BUSY : file_lock(file, level);
}

static int sealed_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
    coffer_file *ours = OURS(file);
    int code = FAULT(file, COFFER_VFS_SHM_MAP, 0);
    *address = NULL;
    if (code != SQLITE_OK) {
        return code;
    }
    if (region >= ours->region_count) {
        if (!extend) {
            return SQLITE_OK;
        }
        void **regions = realloc(ours->regions, sizeof(void *) * (size_t)(region + 1));
        if (regions == NULL) {
            return SQLITE_IOERR_NOMEM;
        }
        ours->regions = regions;
        while (ours->region_count <= region) {
            void *block = calloc(1, (size_t)size);
            if (block == NULL) {
                return SQLITE_IOERR_NOMEM;
            }
            ours->regions[ours->region_count++] = block;
        }
    }
    *address = ours->regions[region];
    return SQLITE_OK;
}

static int sealed_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    (void)file, (void)offset, (void)count, (void)flags;
    return SQLITE_OK;
}

static void sealed_shm_barrier(sqlite3_file *file) { (void)file; }

static int sealed_shm_unmap(sqlite3_file *file, int remove) {
    (void)file, (void)remove;
    return SQLITE_OK;  // The regions go with the file.
}

const sqlite3_io_methods coffer_sealed_methods = {
    2,           sealed_close, file_read,     sealed_write, sealed_truncate, sealed_sync, file_size,
    sealed_lock, file_unlock,  file_reserved, file_control, file_sector,     file_traits, sealed_shm_map,
    sealed_shm_lock, sealed_shm_barrier, sealed_shm_unmap, NULL, NULL,
};

// A file that is locked as a whole; see whole.c.

static int whole_close(sqlite3_file *file) {
    coffer_whole_leave(OURS(file));
    return sealed_close(file);
}

static int whole_lock(sqlite3_file *file, int level) { return coffer_whole_lock(OURS(file), level); }
static int whole_unlock(sqlite3_file *file, int level) { return coffer_whole_unlock(OURS(file), level); }

static int whole_reserved(sqlite3_file *file, int *result) {
    *result = coffer_whole_is_reserved(OURS(file));
    return SQLITE_OK;
}

// An index of a log that nobody else sees, which is enough for the one connection that takes it into the file.
static int whole_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
    *address = NULL;
    if (!coffer_whole_map(OURS(file))) return SQLITE_BUSY;
    return sealed_shm_map(file, region, size, extend, address);
}

static int whole_shm_unmap(sqlite3_file *file, int remove) {
    (void)remove;
    free_regions(file);
    coffer_whole_unmap(OURS(file));
    return SQLITE_OK;
}

const sqlite3_io_methods coffer_whole_methods = {
    2,          whole_close, file_read,     file_write,    file_truncate, file_sync,   file_size,
    whole_lock, whole_unlock, whole_reserved, file_control, file_sector,  file_traits, whole_shm_map,
    sealed_shm_lock, sealed_shm_barrier, whole_shm_unmap, NULL, NULL,
};

static int sealed_whole_lock(sqlite3_file *file, int level) {
    return level > SQLITE_LOCK_SHARED ? SQLITE_BUSY : whole_lock(file, level);
}

const sqlite3_io_methods coffer_sealed_whole_methods = {
    2,           whole_close,  file_read,     sealed_write, sealed_truncate, sealed_sync, file_size,
    sealed_whole_lock, whole_unlock, whole_reserved, file_control, file_sector, file_traits, sealed_shm_map,
    sealed_shm_lock, sealed_shm_barrier, sealed_shm_unmap, NULL, NULL,
};

// A WAL that is not there and must not be made: reads as empty.

static int missing_close(sqlite3_file *file) {
    (void)file;
    return SQLITE_OK;
}

static int missing_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    (void)file, (void)offset;
    memset(buffer, 0, (size_t)count);
    return SQLITE_IOERR_SHORT_READ;
}

static int missing_size(sqlite3_file *file, sqlite3_int64 *size) {
    (void)file;
    *size = 0;
    return SQLITE_OK;
}

static int missing_level(sqlite3_file *file, int level) {
    (void)file, (void)level;
    return SQLITE_OK;
}

static int missing_reserved(sqlite3_file *file, int *result) {
    (void)file;
    *result = 0;
    return SQLITE_OK;
}

static int missing_control(sqlite3_file *file, int what, void *value) {
    (void)file, (void)what, (void)value;
    return SQLITE_NOTFOUND;
}

static int missing_number(sqlite3_file *file) {
    (void)file;
    return 0;
}

const sqlite3_io_methods coffer_missing_methods = {
    1,             missing_close, missing_read,     sealed_write,    sealed_truncate, sealed_sync,
    missing_size,  missing_level, missing_level,    missing_reserved, missing_control, missing_number,
    missing_number, NULL, NULL, NULL, NULL, NULL, NULL,
};
