#include "instance.h"

static _Thread_local struct {
    coffer_vfs_writing function;
    void *context;
} watcher;

void coffer_vfs_watch_writing(coffer_vfs_writing writing, void *context) {
    watcher.function = writing;
    watcher.context = context;
}

int coffer_vfs_tell_writing(int kind, int bytes) {
    if (__builtin_expect(watcher.function == NULL, 1)) return SQLITE_OK;
    return watcher.function(watcher.context, kind, bytes) ? SQLITE_OK : SQLITE_INTERRUPT;
}
