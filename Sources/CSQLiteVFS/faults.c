#include "instance.h"

static int position(int bit) { return __builtin_ctz((unsigned)bit); }

static int failure(int operation, int effect) {
    if (effect == COFFER_VFS_FULL) {
        return SQLITE_FULL;
    }
    if (effect == COFFER_VFS_NO_MEMORY) {
        return SQLITE_IOERR_NOMEM;
    }
    if (effect == COFFER_VFS_INTERRUPT) {
        return SQLITE_INTERRUPT;  // As of a statement that sqlite3_interrupt stops.
    }
    switch (operation) {
    case COFFER_VFS_OPEN: return SQLITE_CANTOPEN;
    case COFFER_VFS_READ: return SQLITE_IOERR_READ;
    case COFFER_VFS_WRITE:
    case COFFER_VFS_GATHERED_WRITE: return effect == COFFER_VFS_SHORT_WRITE ? -1 : SQLITE_IOERR_WRITE;
    case COFFER_VFS_SYNC: return SQLITE_IOERR_FSYNC;
    case COFFER_VFS_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case COFFER_VFS_DELETE: return SQLITE_IOERR_DELETE;
    case COFFER_VFS_SHM_MAP: return SQLITE_IOERR_SHMMAP;
    default: return SQLITE_IOERR;
    }
}

/// Waits, with the mutex, until the plan is another.
static void hold(coffer_vfs *vfs) {
    uint64_t plan = vfs->plan;
    while (vfs->plan == plan) {
        pthread_cond_wait(&vfs->changed, &vfs->mutex);
    }
}

/// Says, with the mutex, that the plan is another.
static void change(coffer_vfs *vfs) {
    vfs->plan++;
    pthread_cond_broadcast(&vfs->changed);
}

int coffer_vfs_watch(coffer_vfs *vfs, int operation, int kind, int bytes) {
    int watching = atomic_load_explicit(&vfs->watching, memory_order_relaxed);
    if (watching & COFFER_VFS_COUNTING) {
        atomic_fetch_add(&vfs->calls[position(kind)][position(operation)], 1);
        if (operation == COFFER_VFS_WRITE) {  // Gathered ones are the same bytes again.
            atomic_fetch_add(&vfs->bytes_written[position(kind)], (uint64_t)bytes);
        }
    }
    if (!(watching & COFFER_VFS_ARMED)) {
        return SQLITE_OK;
    }
    int code = SQLITE_OK;
    pthread_mutex_lock(&vfs->mutex);
    // The plan may have been taken away between the load and the lock.
    bool armed = (atomic_load(&vfs->watching) & COFFER_VFS_ARMED) != 0;
    if (armed && (vfs->operations & operation) && (vfs->files & kind)) {
        if (vfs->skip > 0) {
            vfs->skip--;
        } else {
            atomic_fetch_add(&vfs->fired, 1);
            if (!vfs->repeats) {
                atomic_fetch_and(&vfs->watching, ~COFFER_VFS_ARMED);
            }
            if (vfs->effect == COFFER_VFS_HOLD) {
                hold(vfs);
            } else {
                code = failure(operation, vfs->effect);
            }
        }
    }
    pthread_mutex_unlock(&vfs->mutex);
    return code;
}

void coffer_vfs_arm(coffer_vfs *vfs, int operations, int files, uint64_t skip, int effect, bool repeats) {
    pthread_mutex_lock(&vfs->mutex);
    vfs->operations = operations;
    vfs->files = files;
    vfs->skip = skip;
    vfs->effect = effect;
    vfs->repeats = repeats;
    atomic_fetch_or(&vfs->watching, COFFER_VFS_ARMED);
    change(vfs);
    pthread_mutex_unlock(&vfs->mutex);
}

void coffer_vfs_disarm(coffer_vfs *vfs) {
    pthread_mutex_lock(&vfs->mutex);
    atomic_fetch_and(&vfs->watching, ~COFFER_VFS_ARMED);
    change(vfs);
    pthread_mutex_unlock(&vfs->mutex);
}

uint64_t coffer_vfs_fired(coffer_vfs *vfs) { return atomic_load(&vfs->fired); }

void coffer_vfs_count(coffer_vfs *vfs, bool on) {
    atomic_fetch_and(&vfs->watching, ~COFFER_VFS_COUNTING);
    if (!on) {
        return;
    }
    for (int file = 0; file < COFFER_VFS_FILES; file++) {
        for (int operation = 0; operation < COFFER_VFS_OPERATIONS; operation++) {
            atomic_store(&vfs->calls[file][operation], 0);
        }
        atomic_store(&vfs->bytes_written[file], 0);
    }
    atomic_fetch_or(&vfs->watching, COFFER_VFS_COUNTING);
}

uint64_t coffer_vfs_counted(coffer_vfs *vfs, int operation, int file) {
    return atomic_load(&vfs->calls[position(file)][position(operation)]);
}

uint64_t coffer_vfs_bytes_written(coffer_vfs *vfs, int file) {
    return atomic_load(&vfs->bytes_written[position(file)]);
}
