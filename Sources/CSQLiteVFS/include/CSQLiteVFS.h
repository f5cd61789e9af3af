#ifndef COFFER_CSQLITEVFS_H
#define COFFER_CSQLITEVFS_H

#include <stdbool.h>
#include <stdint.h>

/// What a fault or a counter applies to; the bits may be joined.
enum {
    COFFER_VFS_OPEN = 1,
    COFFER_VFS_READ = 2,
    COFFER_VFS_WRITE = 4,
    COFFER_VFS_SYNC = 8,
    COFFER_VFS_TRUNCATE = 16,
    COFFER_VFS_DELETE = 32,
    COFFER_VFS_SHM_MAP = 64,
    COFFER_VFS_GATHERED_WRITE = 128,  // What the kernel is handed of a log, several of SQLite's writes in one.
    COFFER_VFS_OPERATIONS = 8,
};

/// Which file of a store; the bits may be joined.
enum {
    COFFER_VFS_DATABASE = 1,
    COFFER_VFS_WAL = 2,
    COFFER_VFS_JOURNAL = 4,
    COFFER_VFS_OTHER = 8,
    COFFER_VFS_FILES = 4,
};

/// What happens at a fault.
enum {
    COFFER_VFS_IO_ERROR = 0,
    COFFER_VFS_FULL = 1,
    COFFER_VFS_SHORT_WRITE = 2,
    COFFER_VFS_NO_MEMORY = 3,
    COFFER_VFS_INTERRUPT = 4,
    COFFER_VFS_HOLD = 5,
};

/// How databases are locked: on parts of them, or as wholes where the file system turns out to know no others; as wholes; or not at
/// all.
enum {
    COFFER_VFS_RANGES = 0,
    COFFER_VFS_WHOLE_FILES = 1,
    COFFER_VFS_UNLOCKED = 2,
};

/// One registered VFS, safe to call from any thread.
typedef struct coffer_vfs coffer_vfs;

/// Registers a VFS over the platform's own; NULL where memory or the platform's VFS is missing.
///
/// Where `sealed`, nothing is ever written: the shared index lives on the heap and a missing WAL reads as empty. Files
/// that are locked as wholes, by flock(2), have no log: one connection alone may still read the one that it finds.
coffer_vfs *coffer_vfs_create(const char *name, bool sealed, int locks);

/// Unregisters and frees `vfs`, which no connection may use any more.
void coffer_vfs_destroy(coffer_vfs *vfs);

/// Arms one fault, in place of any other.
///
/// `skip` matching calls pass, the next one fails, and where `repeats`, so do all after it. With `COFFER_VFS_HOLD` it does not fail:
/// it waits until another fault is armed or this one disarmed, and passes.
void coffer_vfs_arm(coffer_vfs *vfs, int operations, int files, uint64_t skip, int effect, bool repeats);

/// Disarms the fault.
void coffer_vfs_disarm(coffer_vfs *vfs);

/// How many calls a fault has met since `vfs` was made.
uint64_t coffer_vfs_fired(coffer_vfs *vfs);

/// Starts counting from zero, or stops.
void coffer_vfs_count(coffer_vfs *vfs, bool on);

/// How often `operation` was called on `file` (one bit each) since counting started.
uint64_t coffer_vfs_counted(coffer_vfs *vfs, int operation, int file);

/// How many bytes were written to `file` (one bit) since counting started.
uint64_t coffer_vfs_bytes_written(coffer_vfs *vfs, int file);

/// Told of a write before it is made: which file (one bit) and how many bytes; `false` makes it fail as in an interrupted statement.
typedef bool (*coffer_vfs_writing)(void *context, int file, int bytes);

/// Has `writing` told of all writes of the calling thread from now on, through whichever VFS; NULL ends that.
void coffer_vfs_watch_writing(coffer_vfs_writing writing, void *context);

/// How many transactions the index of a write-ahead log has counted, whoever wrote them; `false` where it is not known.
///
/// `file` is an open file of one of these VFS, as SQLITE_FCNTL_FILE_POINTER gives it; any thread may ask while it is open.
bool coffer_vfs_change_counter(void *file, uint32_t *value);

/// Configures libsqlite3 for this process and initialises it; an SQLite result code.
///
/// `SQLITE_MISUSE` where somebody else initialised it before, which then keeps its own configuration.
int coffer_sqlite_setup(bool memory_statistics);

/// Makes SQLite's allocations on this thread fail after `skip` more, once or for as long as `repeats`.
void coffer_sqlite_fail_allocations(uint64_t skip, bool repeats);

/// Ends what `coffer_sqlite_fail_allocations` began; how many allocations have failed.
uint64_t coffer_sqlite_allow_allocations(void);

#endif
