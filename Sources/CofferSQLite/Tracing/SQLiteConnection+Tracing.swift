internal import CSQLite

extension SQLiteConnection {
    /// Tells `receive` of each run of a statement that is over, from now on; `nil` ends that.
    ///
    /// A statement that writes is told when the next one is over, so that a thousand inserts in a row make
    /// one entry. While nothing is told of them, statements run exactly as if there were no tracing.
    /// `receive` must not use the connection. With `withPlans` it is also told SQLite's plan.
    package func trace(withPlans: Bool = false, _ receive: ((SQLiteExecution) -> Void)?) {
        database.tracer?.tellFolded()
        guard let receive else {
            unsafe sqlite3_trace_v2(database.handle, 0, nil, nil)
            database.tracer = nil
            return
        }
        let tracer = StatementTracer(withPlans: withPlans, receive)
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE)
        unsafe sqlite3_trace_v2(
            database.handle, events,
            { event, context, statement, _ in
                guard let context = unsafe context, let statement = unsafe statement else { return 0 }
                let database = unsafe Unmanaged<SQLiteDatabase>.fromOpaque(context).takeUnretainedValue()
                unsafe database.traced(event, OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(database).toOpaque())
        database.tracer = tracer
    }
}

extension SQLiteDatabase {
    /// What `sqlite3_trace_v2` calls.
    fileprivate func traced(_ event: UInt32, _ statement: OpaquePointer) {
        switch Int32(bitPattern: event) {
        case SQLITE_TRACE_STMT: unsafe tracer?.began(statement)
        case SQLITE_TRACE_ROW: unsafe tracer?.answered(statement)
        default: unsafe tracer?.ended(statement, on: handle)
        }
    }
}
