internal import CSQLite
internal import CSQLiteVFS

/// libsqlite3 as this process uses it.
package enum SQLiteLibrary {
    /// The version that is loaded, such as `3.40.1`.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }

    /// Whether the library was built with an option, named without `SQLITE_`.
    package static func isBuilt(with option: String) -> Bool {
        unsafe sqlite3_compileoption_used(option) != 0
    }

    /// Whether the library took our configuration; false if another part of the process used it first.
    package static var isConfigured: Bool { setUpCode == SQLITE_OK }

    /// Configures the library once: no lock in connections, no file URIs, no memory statistics.
    ///
    /// Statistics cost a process-wide lock at every allocation, and this build has no lookaside, so it
    /// allocates often; the price is that `sqlite3_hard_heap_limit64` has no effect.
    static let setUpCode: Int32 = coffer_sqlite_setup(false)

    /// Runs `body` while allocations of SQLite on this thread fail, for tests of `outOfMemory`.
    ///
    /// - Parameters:
    ///   - count: Allocations that succeed before the first failure.
    ///   - repeats: Whether all after the first failure fail too.
    ///   - body: What is tested.
    /// - Returns: What `body` returns, and how many allocations failed.
    package static func withFailingAllocations<Result>(
        after count: Int, repeats: Bool = false, _ body: () throws -> Result
    ) rethrows -> (result: Result, failures: Int) {
        coffer_sqlite_fail_allocations(UInt64(max(0, count)), repeats)
        defer { _ = coffer_sqlite_allow_allocations() }
        let result = try body()
        return (result, Int(coffer_sqlite_allow_allocations()))
    }
}
