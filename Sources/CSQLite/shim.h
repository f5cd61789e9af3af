#ifndef COFFER_CSQLITE_SHIM_H
#define COFFER_CSQLITE_SHIM_H

#include <sqlite3.h>

/// `sqlite3_db_config` for the operations that take one int and answer one int.
static inline int coffer_sqlite_db_config(sqlite3 *db, int operation, int value) {
    return sqlite3_db_config(db, operation, value, (int *)0);
}

/// `sqlite3_bind_text64` with UTF-8 that stays where it is until the parameter is bound anew.
static inline int coffer_sqlite_bind_text_static(
    sqlite3_stmt *statement, int index, const void *bytes, unsigned long long count) {
    return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_STATIC, SQLITE_UTF8);
}

/// `sqlite3_bind_text64` with UTF-8 that SQLite copies.
static inline int coffer_sqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const void *bytes, unsigned long long count) {
    return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// `sqlite3_bind_blob64` with bytes that stay where they are until the parameter is bound anew.
static inline int coffer_sqlite_bind_blob_static(
    sqlite3_stmt *statement, int index, const void *bytes, unsigned long long count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_STATIC);
}

/// `sqlite3_bind_blob64` with bytes that SQLite copies.
static inline int coffer_sqlite_bind_blob_copy(
    sqlite3_stmt *statement, int index, const void *bytes, unsigned long long count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// `sqlite3_result_text64` with UTF-8 that SQLite copies.
static inline void coffer_sqlite_result_text(
    sqlite3_context *context, const void *bytes, unsigned long long count) {
    sqlite3_result_text64(context, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// `sqlite3_result_blob64` with bytes that SQLite copies.
static inline void coffer_sqlite_result_blob(
    sqlite3_context *context, const void *bytes, unsigned long long count) {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

#endif
