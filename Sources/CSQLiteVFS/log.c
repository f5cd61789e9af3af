#include <stdlib.h>
#include <string.h>

#include "instance.h"

// SQLite writes each frame of a log in two pieces. Gathered here, a commit costs one call of the kernel and not two for a page.

#define OURS(pointer) ((coffer_file *)(pointer))
#define PLATFORM(pointer) ((sqlite3_file *)OURS(pointer)->platform)
#define CALL(pointer, method, ...) PLATFORM(pointer)->pMethods->method(PLATFORM(pointer), ##__VA_ARGS__)
#define FAULT(pointer, operation, bytes) coffer_vfs_fault(OURS(pointer)->vfs, operation, OURS(pointer)->kind, bytes)

enum {
    HEADER_BYTES = 24,
    // 31 frames of the usual size; the platform writes no more than 128 KiB less a byte at once.
    CAPACITY = 31 * (HEADER_BYTES + 4096),
    PIECE = 64 * 1024,
    MOST_GROWTH = 1024 * 1024,
};

/// Lengthens the file with zeros before it is written past its end, by as much as it has, within bounds.
///
/// A flush after which the file is longer also has to write its inode, which takes as long as writing the frames; so many commits share
/// that. Zeros are no valid frame, whoever reads the log. Where there is no room nothing is lost: the write itself then tells.
static void lengthen(sqlite3_file *file, sqlite3_int64 end) {
    static const unsigned char zeros[PIECE];
    coffer_log *log = &OURS(file)->log;
    if (end <= log->size) {
        return;
    }
    sqlite3_int64 size = 0;
    if (CALL(file, xFileSize, &size) != SQLITE_OK) {
        return;
    }
    sqlite3_int64 wanted = size < end ? end + (size > MOST_GROWTH ? MOST_GROWTH : size) : size;
    while (size < wanted && CALL(file, xWrite, zeros, PIECE, size) == SQLITE_OK) {
        size += PIECE;
    }
    log->size = size;
}

/// Hands over what is gathered, which is forgotten whatever comes of it: SQLite takes its transaction back where this fails.
static int flush(sqlite3_file *file) {
    coffer_log *log = &OURS(file)->log;
    int count = log->count;
    if (count == 0) {
        return SQLITE_OK;
    }
    log->count = 0;
    log->commits = false;
    int code = FAULT(file, COFFER_VFS_GATHERED_WRITE, count);
    if (code == SQLITE_OK) {
        lengthen(file, log->offset + count);
        code = CALL(file, xWrite, log->bytes, count, log->offset);
    } else if (code == -1) {
        CALL(file, xWrite, log->bytes, count / 2, log->offset);
        code = SQLITE_IOERR_WRITE;
    }
    if (code != SQLITE_OK) {
        log->end = 0;
    }
    return code;
}

/// Whether a write can wait for its neighbours: it follows all that the transaction has written so far.
static bool can_gather(coffer_log *log, int count, sqlite3_int64 offset) {
    if (offset < log->end || count > CAPACITY) {
        return false;
    }
    if (log->bytes == NULL) {
        log->bytes = malloc(CAPACITY);
    }
    return log->bytes != NULL;
}

/// Whether a piece is the header of a frame that commits: it says how large the database is then.
static bool is_commit(const unsigned char *piece, int count) {
    return count == HEADER_BYTES && (piece[4] | piece[5] | piece[6] | piece[7]) != 0;
}

static int gather(sqlite3_file *file, const void *piece, int count, sqlite3_int64 offset) {
    coffer_log *log = &OURS(file)->log;
    if (log->count > 0 && (offset != log->offset + log->count || log->count + count > CAPACITY)) {
        bool commits = log->commits;
        int code = flush(file);
        if (code != SQLITE_OK) {
            return code;
        }
        log->commits = commits;
    }
    if (!can_gather(log, count, offset)) {
        return CALL(file, xWrite, piece, count, offset);
    }
    if (log->count == 0) {
        log->offset = offset;
    }
    memcpy(log->bytes + log->count, piece, (size_t)count);
    log->count += count;
    log->end = offset + count;
    bool ends = log->commits;
    log->commits = is_commit(piece, count);
    return ends ? flush(file) : SQLITE_OK;
}

static int log_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    int code = coffer_vfs_tell_writing(OURS(file)->kind, count);
    if (code == SQLITE_OK) code = FAULT(file, COFFER_VFS_WRITE, count);
    if (code == SQLITE_OK) {
        return gather(file, buffer, count, offset);
    }
    flush(file);  // The fault is in this write; those before it have come about.
    if (code == -1) {
        CALL(file, xWrite, buffer, count / 2, offset);
        return SQLITE_IOERR_WRITE;
    }
    return code;
}

static int log_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    int code = flush(file);
    return code != SQLITE_OK ? code : coffer_file_methods.xRead(file, buffer, count, offset);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = flush(file);
    OURS(file)->log.end = 0;
    OURS(file)->log.size = 0;
    return code != SQLITE_OK ? code : coffer_file_methods.xTruncate(file, size);
}

static int log_sync(sqlite3_file *file, int flags) {
    int code = flush(file);
    return code != SQLITE_OK ? code : coffer_file_methods.xSync(file, flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = flush(file);
    return code != SQLITE_OK ? code : coffer_file_methods.xFileSize(file, size);
}

static int log_close(sqlite3_file *file) {
    coffer_file *ours = OURS(file);
    free(ours->log.bytes);
    ours->log = (coffer_log){.bytes = NULL};
    if (ours->opposite != NULL) {
        ours->opposite->opposite = NULL;
        ours->opposite = NULL;
    }
    return coffer_file_methods.xClose(file);
}

static int log_lock(sqlite3_file *file, int level) { return coffer_file_methods.xLock(file, level); }
static int log_unlock(sqlite3_file *file, int level) { return coffer_file_methods.xUnlock(file, level); }
static int log_reserved(sqlite3_file *file, int *result) { return coffer_file_methods.xCheckReservedLock(file, result); }
static int log_control(sqlite3_file *file, int what, void *value) {
    return coffer_file_methods.xFileControl(file, what, value);
}
static int log_sector(sqlite3_file *file) { return coffer_file_methods.xSectorSize(file); }
static int log_traits(sqlite3_file *file) { return coffer_file_methods.xDeviceCharacteristics(file); }

// A log is not locked or mapped, so version 1.
const sqlite3_io_methods coffer_log_methods = {
    1,          log_close,   log_read,    log_write,  log_truncate, log_sync, log_size, log_lock, log_unlock, log_reserved,
    log_control, log_sector, log_traits, NULL,       NULL,         NULL,     NULL,     NULL,     NULL,
};

void coffer_log_join(coffer_file *log, coffer_file *database) {
    // Without its database nobody would say when a transaction is over; then nothing is gathered.
    if (database == NULL || database->vfs != log->vfs || database->opposite != NULL) {
        return;
    }
    log->opposite = database;
    database->opposite = log;
    log->file.pMethods = &coffer_log_methods;
}

void coffer_log_forget(coffer_file *log) {
    log->log.count = 0;
    log->log.end = 0;
    log->log.commits = false;
}
