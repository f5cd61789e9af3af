package import CofferModel
package import FoundationEssentials

/// What the fields of a save's batch operations held.
struct BatchFields {
    private var isBatch = false
    private var updates: [BatchUpdateMessage] = []
    private var deletes: [BatchDeleteMessage] = []
    private var result: UInt32 = 0

    /// Reads one of the fields 11 to 14 of a request.
    mutating func read(_ field: FieldReader.Field, from reader: inout FieldReader) throws(WireError) {
        let limit = Limits.batchOperations
        switch field.number {
        case 11: isBatch = try reader.flag(field)
        case 12:
            try updates.append(reader.message(field), "coffer.v1.SaveRequest.batch_updates", limit: limit)
        case 13:
            try deletes.append(reader.message(field), "coffer.v1.SaveRequest.batch_deletes", limit: limit)
        default: result = try reader.number32(field)
        }
    }

    /// The operations of the request; `nil` if it is the save of a context.
    consuming func message() throws(WireError) -> BatchMessage? {
        guard isBatch else {
            guard updates.isEmpty && deletes.isEmpty else {
                throw .malformed("coffer.v1.SaveRequest.is_batch: not set in a request with batch operations")
            }
            return nil
        }
        return try BatchMessage(
            updates: updates, deletes: deletes, result: choice(result, "coffer.v1.SaveRequest.batch_result"))
    }
}

extension BatchMessage {
    /// Writes the fields 11 to 14 of a request.
    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(11, flag: true)
        try writer.put(12, messages: updates)
        try writer.put(13, messages: deletes)
        writer.put(14, number: UInt64(result.rawValue))
    }
}

extension BatchUpdateMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.BatchUpdate" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: "", assignments: [])
        var predicate = PredicateAssembly()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = try reader.text(field, "coffer.v1.BatchUpdate.entity")
            case 2: includesSubentities = try !reader.flag(field)
            case 3: try predicate.take(reader.message(field, as: PredicateNode.self))
            case 4:
                let name: StaticString = "coffer.v1.BatchUpdate.assignments"
                try assignments.append(reader.message(field), name, limit: Limits.columns)
            default: try reader.skip(field)
            }
        }
        self.predicate = try predicate.resultIfAny()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, text: entity)
        writer.put(2, flag: !includesSubentities)
        try writer.put(3, predicate: predicate)
        try writer.put(4, messages: assignments)
    }
}

extension AssignmentMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.Assignment" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(property: "", expression: .evaluatedObject)
        var expression = PredicateAssembly()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: property = try reader.text(field, "coffer.v1.Assignment.property")
            case 2: try expression.take(reader.message(field, as: PredicateNode.self))
            default: try reader.skip(field)
            }
        }
        self.expression = try expression.expression()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, text: property)
        try writer.put(2, expression: expression)
    }
}

extension BatchDeleteMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.BatchDelete" }

    var aboutByteCount: Int { 24 + entity.utf8.count + 8 * primaryKeys.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: "")
        var predicate = PredicateAssembly()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = try reader.text(field, "coffer.v1.BatchDelete.entity")
            case 2: includesSubentities = try !reader.flag(field)
            case 3: try predicate.take(reader.message(field, as: PredicateNode.self))
            case 4: try reader.append(field, to: &primaryKeys)
            default: try reader.skip(field)
            }
        }
        self.predicate = try predicate.resultIfAny()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, text: entity)
        writer.put(2, flag: !includesSubentities)
        try writer.put(3, predicate: predicate)
        writer.put(4, numbers: primaryKeys)
    }
}

extension SaveRequestMessage {
    /// Gives the objects that predicates and expressions of batch operations name, which so far have only the
    /// indices of their entities, entity and store.
    ///
    /// - Throws: `WireError.malformed` if the model has no such entity.
    package mutating func resolveObjects(
        in model: ManagedObjectModel, storeUUID: UUID
    ) throws(WireError) {
        guard var batch else { return }
        for place in batch.updates.indices {
            try batch.updates[place].predicate?.resolveObjects(in: model, storeUUID: storeUUID)
            for index in batch.updates[place].assignments.indices {
                let expression = batch.updates[place].assignments[index].expression
                let nodes = try expression.nodes().resolvingObjects(in: model, storeUUID: storeUUID)
                if let nodes { batch.updates[place].assignments[index].expression = try .made(of: nodes) }
            }
        }
        for place in batch.deletes.indices {
            try batch.deletes[place].predicate?.resolveObjects(in: model, storeUUID: storeUUID)
        }
        self.batch = batch
    }
}
