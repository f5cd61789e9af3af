#include "CSQLiteVFS.h"

#include <sqlite3.h>
#include <stddef.h>

// One thread's plan; other threads never see it, so tests may run side by side.
static _Thread_local bool armed;
static _Thread_local bool repeating;
static _Thread_local uint64_t remaining;
static _Thread_local uint64_t failed;

static sqlite3_mem_methods platform;

static bool refuses(void) {
    if (remaining > 0) {
        remaining--;
        return false;
    }
    if (!repeating) {
        armed = false;
    }
    failed++;
    return true;
}

static void *allocate(int size) {
    if (__builtin_expect(armed, 0) && refuses()) {
        return NULL;
    }
    return platform.xMalloc(size);
}

static void *reallocate(void *block, int size) {
    if (__builtin_expect(armed, 0) && refuses()) {
        return NULL;
    }
    return platform.xRealloc(block, size);
}

int coffer_sqlite_setup(bool memory_statistics) {
    int code = sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    if (code != SQLITE_OK) {
        int initialised = sqlite3_initialize();
        return initialised == SQLITE_OK ? code : initialised;
    }
    sqlite3_config(SQLITE_CONFIG_URI, 0);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, memory_statistics ? 1 : 0);
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &platform) == SQLITE_OK) {
        sqlite3_mem_methods ours = platform;
        ours.xMalloc = allocate;
        ours.xRealloc = reallocate;
        sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
    }
    return sqlite3_initialize();
}

void coffer_sqlite_fail_allocations(uint64_t skip, bool repeats) {
    remaining = skip;
    repeating = repeats;
    failed = 0;
    armed = true;
}

uint64_t coffer_sqlite_allow_allocations(void) {
    armed = false;
    return failed;
}
