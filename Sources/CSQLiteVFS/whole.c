#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instance.h"

// Locks where a file system knows only those of whole files, which flock(2) takes.
//
// SQLite's five levels are kept in memory among the files of this process; towards other processes the file is locked once for
// all of them: shared while anybody reads, exclusive from the first lock for writing on. Who writes in another process is kept out
// by the lock file beside the store besides, so a lock that the kernel gives up for a moment while it changes it is not taken by a
// writer; should it be, everybody here fails until the last of them has let go. All of it goes with the process.

struct coffer_whole {
    struct coffer_whole *next;
    dev_t device;
    ino_t inode;
    int fd;               // Whose flock(2) is that of the process.
    int held;             // What it has: LOCK_UN, LOCK_SH or LOCK_EX.
    int references;
    int readers;          // Files of this process that may read, the one that writes among them.
    coffer_file *writer;  // Has reserved the file for writing, or more.
    bool pending;         // The writer waits for the readers to end: nobody else begins.
    bool broken;          // The kernel's lock was lost.
    coffer_file *mapped;  // Has an index of a log, of which there can be only one.
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static coffer_whole *all;

int coffer_whole_join(coffer_file *file, const char *name) {
    int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    // A lock that only reads asks for no right to write.
    if (fd < 0) fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    if (fd < 0) return SQLITE_CANTOPEN;
    if (fstat(fd, &status) < 0) {
        close(fd);
        return SQLITE_IOERR_FSTAT;
    }
    pthread_mutex_lock(&mutex);
    coffer_whole *whole = all;
    while (whole != NULL && (whole->device != status.st_dev || whole->inode != status.st_ino)) whole = whole->next;
    if (whole != NULL) {
        close(fd);
    } else {
        whole = calloc(1, sizeof(coffer_whole));
        if (whole == NULL) {
            pthread_mutex_unlock(&mutex);
            close(fd);
            return SQLITE_IOERR_NOMEM;
        }
        *whole = (coffer_whole){.next = all, .device = status.st_dev, .inode = status.st_ino, .fd = fd, .held = LOCK_UN};
        all = whole;
    }
    whole->references++;
    file->whole = whole;
    file->level = SQLITE_LOCK_NONE;
    pthread_mutex_unlock(&mutex);
    return SQLITE_OK;
}

/// Asks the kernel for a lock, without waiting.
static int take(coffer_whole *whole, int wanted) {
    if (whole->broken) return SQLITE_IOERR_LOCK;
    if (whole->held == wanted) return SQLITE_OK;
    if (flock(whole->fd, wanted | LOCK_NB) == 0) {
        whole->held = wanted;
        return SQLITE_OK;
    }
    int code = errno == EWOULDBLOCK ? SQLITE_BUSY : SQLITE_IOERR_LOCK;
    // To change a lock is to give it up first.
    if (whole->held != LOCK_UN && flock(whole->fd, whole->held | LOCK_NB) < 0) {
        whole->held = LOCK_UN;
        whole->broken = true;
        return SQLITE_IOERR_LOCK;
    }
    return code;
}

static int lock_for_reading(coffer_file *file, coffer_whole *whole) {
    if (whole->pending) return SQLITE_BUSY;
    int code = whole->held == LOCK_UN ? take(whole, LOCK_SH) : whole->broken ? SQLITE_IOERR_LOCK : SQLITE_OK;
    if (code != SQLITE_OK) return code;
    whole->readers++;
    file->level = SQLITE_LOCK_SHARED;
    return SQLITE_OK;
}

static int lock_for_writing(coffer_file *file, coffer_whole *whole, int level) {
    if (whole->writer != NULL && whole->writer != file) return SQLITE_BUSY;
    int code = take(whole, LOCK_EX);
    if (code != SQLITE_OK) return code;
    whole->writer = file;
    if (level < SQLITE_LOCK_EXCLUSIVE) {
        file->level = level;
        return SQLITE_OK;
    }
    whole->pending = true;
    file->level = whole->readers > 1 ? SQLITE_LOCK_PENDING : SQLITE_LOCK_EXCLUSIVE;
    return file->level == SQLITE_LOCK_EXCLUSIVE ? SQLITE_OK : SQLITE_BUSY;
}

int coffer_whole_lock(coffer_file *file, int level) {
    pthread_mutex_lock(&mutex);
    int code = SQLITE_OK;
    if (file->level < level) {
        code = level == SQLITE_LOCK_SHARED ? lock_for_reading(file, file->whole) : lock_for_writing(file, file->whole, level);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static void unlock(coffer_file *file, int level) {
    coffer_whole *whole = file->whole;
    if (file->level <= level) return;
    if (whole->writer == file) {
        whole->writer = NULL;
        whole->pending = false;
    }
    if (level == SQLITE_LOCK_NONE) whole->readers--;
    file->level = level;
    int wanted = whole->writer != NULL ? LOCK_EX : whole->readers > 0 ? LOCK_SH : LOCK_UN;
    if (wanted == LOCK_UN) {
        flock(whole->fd, LOCK_UN);
        whole->held = LOCK_UN;
        whole->broken = false;
    } else {
        take(whole, wanted);  // Where that fails, it is noted in `whole`.
    }
}

int coffer_whole_unlock(coffer_file *file, int level) {
    pthread_mutex_lock(&mutex);
    unlock(file, level);
    pthread_mutex_unlock(&mutex);
    return SQLITE_OK;
}

bool coffer_whole_is_reserved(coffer_file *file) {
    pthread_mutex_lock(&mutex);
    // Who reads knows that no other process writes.
    bool result = file->whole->writer != NULL;
    pthread_mutex_unlock(&mutex);
    return result;
}

bool coffer_whole_map(coffer_file *file) {
    pthread_mutex_lock(&mutex);
    bool result = file->whole->mapped == NULL || file->whole->mapped == file;
    if (result) file->whole->mapped = file;
    pthread_mutex_unlock(&mutex);
    return result;
}

void coffer_whole_unmap(coffer_file *file) {
    pthread_mutex_lock(&mutex);
    if (file->whole->mapped == file) file->whole->mapped = NULL;
    pthread_mutex_unlock(&mutex);
}

void coffer_whole_leave(coffer_file *file) {
    coffer_whole *whole = file->whole;
    if (whole == NULL) return;
    coffer_whole_unmap(file);
    pthread_mutex_lock(&mutex);
    unlock(file, SQLITE_LOCK_NONE);
    file->whole = NULL;
    if (--whole->references == 0) {
        coffer_whole **place = &all;
        while (*place != whole) place = &(*place)->next;
        *place = whole->next;
        close(whole->fd);
        free(whole);
    }
    pthread_mutex_unlock(&mutex);
}
