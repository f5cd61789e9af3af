package import CofferModel
package import FoundationEssentials

extension FetchRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.FetchRequest" }

    static var readLimit: MessageLimit { .request }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, fetch: FetchDescription(entityName: "", predicate: nil))
        var predicate = PredicateAssembly()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: fetch.entityName = try reader.text(field, "coffer.v1.FetchRequest.entity")
            case 3: try predicate.take(reader.message(field, as: PredicateNode.self))
            case 4:
                try fetch.sortDescriptors.append(
                    reader.message(field), "coffer.v1.FetchRequest.sort_descriptors", limit: Limits.keyPath)
            case 5: fetch.limit = Int(clamping: try reader.number(field))
            case 6: fetch.offset = Int(clamping: try reader.number(field))
            case 7: fetch.includesSubentities = try !reader.flag(field)
            case 8:
                fetch.resultType = try choice(
                    UInt8(clamping: reader.number32(field)), "coffer.v1.FetchRequest.result_type")
            case 9:
                let name: StaticString = "coffer.v1.FetchRequest.properties_to_fetch"
                try fetch.propertiesToFetch.append(reader.text(field, name), name, limit: Limits.list)
            case 10: fetch.returnsDistinctResults = try reader.flag(field)
            case 11: withoutHolding = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
        if !predicate.isEmpty { fetch.predicate = try predicate.result() }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(store))
        writer.put(2, text: fetch.entityName)
        if let predicate = fetch.predicate {
            var nodes = PredicateWriter()
            try nodes.write(predicate, as: 3, to: &writer)
        }
        for sort in fetch.sortDescriptors {
            try writer.put(4) { writer throws(WireError) in try sort.write(to: &writer) }
        }
        writer.put(5, number: UInt64(clamping: fetch.limit))
        writer.put(6, number: UInt64(clamping: fetch.offset))
        writer.put(7, flag: !fetch.includesSubentities)
        writer.put(8, number: UInt64(fetch.resultType.rawValue))
        for property in fetch.propertiesToFetch { writer.always(9, text: property) }
        writer.put(10, flag: fetch.returnsDistinctResults)
        writer.put(11, flag: withoutHolding)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension FetchRequestMessage {
    /// Gives the objects that the predicate names, which so far have only the indices of their entities, entity and store.
    ///
    /// To be called before the predicate of a message that was read is used: its reader does not know the store's model.
    ///
    /// - Throws: `WireError.malformed` where the model has no such entity.
    package mutating func resolveObjects(
        in model: ManagedObjectModel, storeUUID: UUID
    ) throws(WireError) {
        guard let predicate = fetch.predicate, predicate.namesObjects else { return }
        var nodes = try predicate.nodes()
        var isChanged = false
        for index in nodes.indices {
            guard case .constant(.object(let id)) = nodes[index] else { continue }
            let resolved = try ObjectReferenceMessage(id).id(in: model, storeUUID: storeUUID)
            nodes[index] = .constant(.object(resolved))
            isChanged = true
        }
        if isChanged { fetch.predicate = try .made(of: nodes) }
    }
}

extension QuerySort: FieldMessage {
    static var name: StaticString { "coffer.v1.SortDescriptor" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(keyPath: [], isAscending: true, comparison: .binary)
        while let field = try reader.nextField() {
            switch field.number {
            case 1:
                let name: StaticString = "coffer.v1.SortDescriptor.key_path"
                try keyPath.append(reader.text(field, name), name, limit: Limits.keyPath)
            case 2: isAscending = try !reader.flag(field)
            case 3:
                comparison = try choice(
                    UInt8(clamping: reader.number32(field)), "coffer.v1.SortDescriptor.comparison")
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        for name in keyPath { writer.always(1, text: name) }
        writer.put(2, flag: !isAscending)
        writer.put(3, number: UInt64(comparison.rawValue))
    }
}

extension FetchReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.FetchReply" }

    var aboutByteCount: Int { (rows?.aboutByteCount ?? 0) + 24 }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, count: 0, rows: nil)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: count = try reader.number(field)
            case 3: rows = try reader.message(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, number: count)
        if let rows {
            try writer.put(3, about: rows.aboutByteCount) { writer throws(WireError) in
                try rows.write(to: &writer)
            }
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
