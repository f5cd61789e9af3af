#ifndef COFFER_CSQLITEVFS_INSTANCE_H
#define COFFER_CSQLITEVFS_INSTANCE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

#include "CSQLiteVFS.h"

/// Bits of `coffer_vfs.watching`; 0 is the state of every store that is not under test.
enum { COFFER_VFS_ARMED = 1, COFFER_VFS_COUNTING = 2 };

struct coffer_vfs {
    sqlite3_vfs vfs;  // First, so that SQLite's pointer is ours.
    sqlite3_vfs *platform;
    bool sealed;
    bool whole;  // Whether files are locked as wholes.

    atomic_int watching;
    pthread_mutex_t mutex;  // Guards the plan below, which is looked at only while armed.
    int operations;
    int files;
    int effect;
    bool repeats;
    uint64_t skip;
    uint64_t plan;           // Which one it is: what another one holds goes on.
    pthread_cond_t changed;  // Told when there is another.

    atomic_uint_fast64_t fired;
    atomic_uint_fast64_t calls[COFFER_VFS_FILES][COFFER_VFS_OPERATIONS];
    atomic_uint_fast64_t bytes_written[COFFER_VFS_FILES];
    char name[64];
};

/// Writes to a log on their way to the kernel, all neighbours.
///
/// Only frames of a transaction that is not committed are ever in it: the last page of a commit takes all along, and whatever is
/// left when the lock for writing goes belongs to no transaction any more and is forgotten. So no other connection misses a frame,
/// and no stale frame is written over what another connection has put in its place.
typedef struct coffer_log {
    unsigned char *bytes;  // NULL until something is gathered.
    int count;
    sqlite3_int64 offset;  // Where in the file `bytes` belong.
    sqlite3_int64 end;     // Behind all that this transaction has written; what lies before it is not gathered.
    bool commits;          // The last header written is of a frame that commits; its page has not come yet.
    sqlite3_int64 size;    // Of the file, at least; 0 where it is not known.
} coffer_log;

/// The locks on one file that is locked as a whole, by all who have it open in this process.
typedef struct coffer_whole coffer_whole;

/// What SQLite holds for one open file; the platform's own file follows it in the same block.
typedef struct coffer_file {
    sqlite3_file file;  // First, so that SQLite's pointer is ours.
    coffer_vfs *vfs;
    int kind;
    coffer_log log;              // Of a log.
    struct coffer_file *opposite;  // A log's database, a database's log; NULL where it is not open.
    void **regions;  // The shared index of a sealed file, on the heap.
    int region_count;
    const char *name;     // Of a database.
    coffer_whole *whole;  // Of a database that is locked as a whole; else NULL.
    int level;            // What it has of that lock.
    void *_Atomic index;  // The first region of the shared index, as long as this file has it mapped.
    _Alignas(max_align_t) unsigned char platform[];
} coffer_file;

/// Between these, what this thread opens is opened without waiting, and must be a file.
void coffer_vfs_begin_opening(void);
void coffer_vfs_end_opening(void);

/// The methods of our files, and of a sealed file that does not exist.
extern const sqlite3_io_methods coffer_file_methods;
extern const sqlite3_io_methods coffer_sealed_methods;
extern const sqlite3_io_methods coffer_missing_methods;

/// The methods of a log that is written.
extern const sqlite3_io_methods coffer_log_methods;

/// The methods of databases that are locked as wholes: that are written, and that are sealed.
extern const sqlite3_io_methods coffer_whole_methods;
extern const sqlite3_io_methods coffer_sealed_whole_methods;

/// Takes part in the locks on the file of a name; an SQLite result code.
int coffer_whole_join(coffer_file *file, const char *name);

/// Takes no part any more; whatever the file has is given up.
void coffer_whole_leave(coffer_file *file);

/// What SQLite's xLock, xUnlock and xCheckReservedLock want, in memory and by flock(2).
int coffer_whole_lock(coffer_file *file, int level);
int coffer_whole_unlock(coffer_file *file, int level);
bool coffer_whole_is_reserved(coffer_file *file);

/// Whether the file is the one that may have an index of a log, in memory of its own; it is until it unmaps that.
bool coffer_whole_map(coffer_file *file);
void coffer_whole_unmap(coffer_file *file);

/// Joins a log that was just opened to its database.
void coffer_log_join(coffer_file *log, coffer_file *database);

/// Forgets what is gathered: its transaction is over, and did not commit.
void coffer_log_forget(coffer_file *log);

/// The slow half of `coffer_vfs_fault`.
int coffer_vfs_watch(coffer_vfs *vfs, int operation, int kind, int bytes);

/// Counts one call; `SQLITE_OK`, the code it must fail with, or -1 for a write that must stop half way.
static inline int coffer_vfs_fault(coffer_vfs *vfs, int operation, int kind, int bytes) {
    if (__builtin_expect(atomic_load_explicit(&vfs->watching, memory_order_relaxed) == 0, 1)) {
        return SQLITE_OK;
    }
    return coffer_vfs_watch(vfs, operation, kind, bytes);
}

/// Tells whoever watches the writes of this thread; `SQLITE_OK`, or the code the write must fail with.
int coffer_vfs_tell_writing(int kind, int bytes);

#endif
