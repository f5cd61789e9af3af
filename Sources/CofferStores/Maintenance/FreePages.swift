import CofferSQLite

extension StoreReader {
    /// How many pages the file has, its log included, and how many of them hold nothing.
    package func pageCounts() throws(StoreError) -> (all: Int, free: Int) {
        try translating { () throws(SQLiteError) in
            (try connection.number(of: "page_count"), try connection.number(of: "freelist_count"))
        }
    }
}

extension StoreWriter {
    /// Gives pages that no object needs any more back to the file system, if they are more than a quarter
    /// of the file; outside a transaction.
    ///
    /// At most `Limits.releasedPages` go at a time, in a transaction of their own, of which history knows
    /// nothing. A file whose pages can only be given back all at once is left as it is: Core Data's are made
    /// so that they need not be.
    ///
    /// - Throws: `StoreError.busy` if another program writes.
    /// - Returns: How many were given back.
    package func releaseFreePages() throws(StoreError) -> Int {
        try translating { () throws(SQLiteError) in
            let free = try connection.number(of: "freelist_count")
            let surplus = free - Limits.keptFreePages
            guard surplus > 0, try free > connection.number(of: "page_count") / Limits.pagesPerFreePage,
                try connection.number(of: "auto_vacuum") == Self.incremental
            else { return 0 }
            let released = min(surplus, Limits.releasedPages)
            let statement = try connection.prepare("PRAGMA incremental_vacuum(\(released))")
            while try statement.step() {}
            return try free - connection.number(of: "freelist_count")
        }
    }

    /// What `PRAGMA auto_vacuum` says of a file whose pages are given back when that is asked for.
    private static let incremental = 2
}

extension SQLiteConnection {
    fileprivate func number(of pragma: String) throws(SQLiteError) -> Int {
        Int(try self.pragma(pragma) ?? "") ?? 0
    }
}
