internal import CCofferMessages

extension PushMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .rows }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Push>) {
        unsafe coffer__v1__push__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Push>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            kind: choice(c.kind.rawValue, "coffer.v1.Push.kind"), store: c.store, number: c.number,
            previous: c.previous,
            transaction: optional(c.transaction), isRemoved: c.removed != 0)
    }

    func fill(_ c: inout Coffer__V1__Push, in arena: inout PackArena) throws(WireError) {
        unsafe c.kind = Coffer__V1__Push__Kind(rawValue: kind.rawValue)
        unsafe c.store = store
        unsafe c.number = number
        unsafe c.previous = previous
        try unsafe c.transaction = arena.makeOptional(transaction)
        unsafe c.removed = isRemoved ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension PushMessage {
    /// The push, packed, with a transaction that is packed already, since others are told the same of it.
    ///
    /// - Throws: `WireError.tooLarge` where it would not fit into a frame.
    package func packed(with transaction: [UInt8]) throws(WireError) -> [UInt8] {
        var writer = FieldWriter(about: transaction.count + 40)
        writer.put(1, number: UInt64(kind.rawValue))
        writer.put(2, number: UInt64(store))
        writer.put(3, number: number)
        writer.put(4, number: previous)
        writer.always(5, bytes: transaction)
        guard writer.count <= Limits.frame else {
            throw .tooLarge(what: "coffer.v1.Push", byteCount: writer.count, limit: Limits.frame)
        }
        return writer.bytes
    }
}

extension TransactionMessage: WireMessage, @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Transaction>) {
        unsafe coffer__v1__transaction__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Transaction>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            number: c.number, timestamp: c.timestamp, author: c.author.text("coffer.v1.Transaction.author"),
            contextName: c.context_name.text("coffer.v1.Transaction.context_name"),
            process: c.process.text("coffer.v1.Transaction.process"),
            application: c.application.text("coffer.v1.Transaction.application"),
            origin: choice(c.origin.rawValue, "coffer.v1.Transaction.origin"),
            changes: messages(c.changes, c.n_changes, "coffer.v1.Transaction.changes"))
    }

    func fill(_ c: inout Coffer__V1__Transaction, in arena: inout PackArena) throws(WireError) {
        unsafe c.number = number
        unsafe c.timestamp = timestamp
        unsafe c.author = arena.text(author)
        unsafe c.context_name = arena.text(contextName)
        unsafe c.process = arena.text(process)
        unsafe c.application = arena.text(application)
        unsafe c.origin = Coffer__V1__Origin(rawValue: origin.rawValue)
        try unsafe (c.n_changes, c.changes) = arena.list(changes)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ChangeGroup: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ChangeGroup>) {
        unsafe coffer__v1__change_group__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ChangeGroup>) throws(WireError) {
        let c = unsafe message.pointee
        let rowCount = unsafe c.n_primary_keys
        try unsafe check(c.n_versions, of: rowCount, "coffer.v1.ChangeGroup.versions", mayBeAbsent: true)
        let properties = unsafe [UInt32](copying: c.properties, count: c.n_properties)
        guard properties.count <= Limits.columns else {
            throw .tooMany("coffer.v1.ChangeGroup.properties", count: properties.count, limit: Limits.columns)
        }
        try unsafe self.init(
            kind: choice(c.kind.rawValue, "coffer.v1.ChangeGroup.kind"), entity: Int(c.entity),
            primaryKeys: [Int64](copying: c.primary_keys, count: rowCount),
            versions: [UInt32](copying: c.versions, count: c.n_versions),
            properties: properties.map { Int($0) },
            columns: readColumns(c.columns, c.n_columns, rowCount: rowCount, "coffer.v1.ChangeGroup.columns"))
    }

    func fill(_ c: inout Coffer__V1__ChangeGroup, in arena: inout PackArena) throws(WireError) {
        unsafe c.kind = Coffer__V1__ChangeKind(rawValue: kind.rawValue)
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe (c.n_versions, c.versions) = arena.numbers(versions)
        unsafe (c.n_properties, c.properties) = arena.numbers(properties.map { UInt32($0) })
        try unsafe (c.n_columns, c.columns) = arena.list(columns)
    }
}
