/// Something for which a save is refused: it travels in a list.
protocol SaveFault: FieldMessage {
    /// The name of the message that lists them.
    static var listName: StaticString { get }

    /// The name of that message's field, for errors.
    static var listField: StaticString { get }
}

/// `coffer.v1.Conflicts`, `ValidationFailures` or `ConstraintConflicts`.
struct SaveFaults<Fault: SaveFault>: FieldMessage {
    static var name: StaticString { Fault.listName }

    /// The faults that are listed.
    var faults: [Fault]

    var aboutByteCount: Int { faults.aboutByteCount }

    init(faults: [Fault]) { self.faults = faults }

    init(reading reader: inout FieldReader) throws(WireError) {
        faults = []
        while let field = try reader.nextField() {
            switch field.number {
            case 1: try faults.append(reader.message(field), Fault.listField)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) { try writer.put(1, messages: faults) }
}

extension ConflictMessage: SaveFault {
    static var listName: StaticString { "coffer.v1.Conflicts" }
    static var listField: StaticString { "coffer.v1.Conflicts.conflicts" }

    /// Refuses values of the stored object that are not one row.
    func checkFields() throws(WireError) { try checkOneRow(stored, "coffer.v1.Conflict.stored") }
}

extension ValidationFailureMessage: SaveFault {
    static var name: StaticString { "coffer.v1.ValidationFailure" }

    static var listName: StaticString { "coffer.v1.ValidationFailures" }

    static var listField: StaticString { "coffer.v1.ValidationFailures.failures" }

    var aboutByteCount: Int { 80 + property.utf8.count + text.utf8.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        var object = MergedRun()
        var property = ""
        var reason = ""
        var text = ""
        while let field = try reader.nextField() {
            switch field.number {
            case 1: unsafe object.take(try reader.run(field))
            case 2: property = try reader.text(field, "coffer.v1.ValidationFailure.property")
            case 3: reason = try reader.text(field, "coffer.v1.ValidationFailure.reason")
            case 4: text = try reader.text(field, "coffer.v1.ValidationFailure.text", limit: Limits.text)
            default: try reader.skip(field)
            }
        }
        try self.init(
            object: reader.message(of: object, "coffer.v1.ValidationFailure.object"), property: property,
            reason: choice(reason, "coffer.v1.ValidationFailure.reason"), text: text)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        try writer.put(1, message: object)
        writer.put(2, text: property)
        writer.put(3, text: reason.rawValue)
        writer.put(4, text: text)
    }
}

extension ConstraintConflictMessage: SaveFault {
    static var name: StaticString { "coffer.v1.ConstraintConflict" }

    static var listName: StaticString { "coffer.v1.ConstraintConflicts" }

    static var listField: StaticString { "coffer.v1.ConstraintConflicts.conflicts" }

    var aboutByteCount: Int { 80 + (stored?.aboutByteCount ?? 0) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(object: ObjectReferenceMessage(entity: 0), constraint: [], existing: nil)
        var object = MergedRun()
        var existing = MergedRun()
        var stored = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: unsafe object.take(try reader.run(field))
            case 2:
                let name: StaticString = "coffer.v1.ConstraintConflict.constraint"
                try constraint.append(reader.text(field, name), name, limit: Limits.list)
            case 3: unsafe existing.take(try reader.run(field))
            case 4: unsafe stored.take(try reader.run(field))
            default: try reader.skip(field)
            }
        }
        self.object = try reader.message(of: object, "coffer.v1.ConstraintConflict.object")
        self.existing = try reader.message(of: existing)
        self.stored = try reader.message(of: stored)
        try checkOneRow(self.stored, "coffer.v1.ConstraintConflict.stored")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        try writer.put(1, message: object)
        for name in constraint { writer.always(2, text: name) }
        if let existing { try writer.put(3, message: existing) }
        if let stored { try writer.put(4, message: stored) }
    }
}

/// Refuses the values of a stored object that are not one row.
private func checkOneRow(_ stored: RowBatch?, _ field: StaticString) throws(WireError) {
    guard stored.map({ $0.rowCount == 1 }) ?? true else {
        throw .malformed("\(field): \(stored?.rowCount ?? 0) rows, one is needed")
    }
}
