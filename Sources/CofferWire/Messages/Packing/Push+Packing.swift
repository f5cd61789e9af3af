extension PushMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.Push" }

    var aboutByteCount: Int { 40 + (transaction?.aboutByteCount ?? 0) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(kind: .didSave, store: 0, number: 0, previous: 0)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var kind: UInt32 = 0
        var transaction = MergedRun()
        var moved = MergedRun()
        var reason: UInt32 = 0
        var question: UInt64 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: kind = try reader.number32(field)
            case 2: store = try reader.number32(field)
            case 3: number = try reader.number(field)
            case 4: previous = try reader.number(field)
            case 5: unsafe transaction.take(try reader.run(field))
            case 6: isRemoved = try reader.flag(field)
            case 7: unsafe moved.take(try reader.run(field))
            case 8: isUnchanged = try reader.flag(field)
            case 9: reason = try reader.number32(field)
            case 10: question = try reader.number(field)
            default: try reader.skip(field)
            }
        }
        self.kind = try choice(kind, "coffer.v1.Push.kind")
        self.transaction = try reader.message(of: transaction)
        self.moved = try reader.message(of: moved)
        transition = try StoreTransitionMessage(
            kind: reason, question: question, field: "coffer.v1.Push.transition")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(kind.rawValue))
        writer.put(2, number: UInt64(store))
        writer.put(3, number: number)
        writer.put(4, number: previous)
        if let transaction { try writer.put(5, message: transaction) }
        writer.put(6, flag: isRemoved)
        if let moved { try writer.put(7, message: moved) }
        writer.put(8, flag: isUnchanged)
        guard let transition else { return }
        writer.put(9, number: UInt64(transition.kind.rawValue))
        writer.put(10, number: transition.question)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension PushMessage {
    /// The push, packed, around a transaction that is packed already, since other clients are told it too.
    ///
    /// - Throws: `WireError.tooLarge` where it would not fit into a frame.
    package func packed(with transaction: [UInt8]) throws(WireError) -> [UInt8] {
        try FieldWriter.pack(about: transaction.count + 40) { writer throws(WireError) in
            writer.put(1, number: UInt64(kind.rawValue))
            writer.put(2, number: UInt64(store))
            writer.put(3, number: number)
            writer.put(4, number: previous)
            writer.always(5, bytes: transaction)
            guard writer.count <= Limits.frame else {
                throw .tooLarge(what: "coffer.v1.Push", byteCount: writer.count, limit: Limits.frame)
            }
        }
    }
}

extension TransactionMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.Transaction" }

    var aboutByteCount: Int {
        48 + author.utf8.count + contextName.utf8.count + process.utf8.count + application.utf8.count
            + changes.aboutByteCount + successors.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, timestamp: 0)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var origin: UInt32 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: timestamp = try reader.fixed(field)
            case 3: author = try reader.text(field, "coffer.v1.Transaction.author")
            case 4: contextName = try reader.text(field, "coffer.v1.Transaction.context_name")
            case 5: process = try reader.text(field, "coffer.v1.Transaction.process")
            case 6: application = try reader.text(field, "coffer.v1.Transaction.application")
            case 7: origin = try reader.number32(field)
            case 8: try changes.append(reader.message(field), "coffer.v1.Transaction.changes")
            case 9: try successors.append(reader.message(field), "coffer.v1.Transaction.successors")
            default: try reader.skip(field)
            }
        }
        self.origin = try choice(origin, "coffer.v1.Transaction.origin")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, fixed: timestamp)
        writer.put(3, text: author)
        writer.put(4, text: contextName)
        writer.put(5, text: process)
        writer.put(6, text: application)
        writer.put(7, number: UInt64(origin.rawValue))
        try writer.put(8, messages: changes)
        try writer.put(9, messages: successors)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension SuccessorGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.SuccessorGroup" }

    var aboutByteCount: Int { 16 + 16 * primaryKeys.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKeys: [], successors: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: try reader.append(field, to: &primaryKeys)
            case 3: try reader.append(field, to: &successors)
            default: try reader.skip(field)
            }
        }
        try check(successors.count, of: primaryKeys.count, "coffer.v1.SuccessorGroup.successors")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, numbers: primaryKeys)
        writer.put(3, numbers: successors)
    }
}

extension ChangeGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.ChangeGroup" }

    var aboutByteCount: Int {
        24 + 12 * primaryKeys.count + 2 * properties.count + columns.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(kind: .insert, entity: 0, primaryKeys: [])
        var kind: UInt32 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: kind = try reader.number32(field)
            case 2: entity = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &primaryKeys)
            case 4: try reader.append(field, to: &versions)
            case 5:
                let name: StaticString = "coffer.v1.ChangeGroup.properties"
                try reader.append(field, to: &properties, name, limit: Limits.columns)
            case 6: try columns.append(field, from: &reader, "coffer.v1.ChangeGroup.columns")
            default: try reader.skip(field)
            }
        }
        let rowCount = primaryKeys.count
        try check(versions.count, of: rowCount, "coffer.v1.ChangeGroup.versions", mayBeAbsent: true)
        self.kind = try choice(kind, "coffer.v1.ChangeGroup.kind")
        try columns.check(rowCount: rowCount)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(kind.rawValue))
        writer.put(2, number: UInt64(entity))
        writer.put(3, numbers: primaryKeys)
        writer.put(4, numbers: versions)
        writer.put(5, varints: properties)
        try writer.put(6, messages: columns)
    }
}
