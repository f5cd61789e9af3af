package import CofferModel
package import FoundationEssentials

extension FetchRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.FetchRequest" }

    static var readLimit: MessageLimit { .request }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, fetch: FetchDescription(entityName: ""))
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var predicate = PredicateAssembly()
        var having = PredicateAssembly()
        var resultType: UInt32 = 0
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
            case 8: resultType = try reader.number32(field)
            case 9:
                let name: StaticString = "coffer.v1.FetchRequest.properties_to_fetch"
                try fetch.propertiesToFetch.append(reader.text(field, name), name, limit: Limits.list)
            case 10: fetch.returnsDistinctResults = try reader.flag(field)
            case 11: withoutHolding = try reader.flag(field)
            case 12:
                let name: StaticString = "coffer.v1.FetchRequest.expressions"
                let named = try reader.message(field, as: NamedExpressionMessage.self)
                try fetch.expressions.append(named.value, name, limit: Limits.list)
            case 13:
                let name: StaticString = "coffer.v1.FetchRequest.group_by"
                try fetch.groupBy.append(reader.text(field, name), name, limit: Limits.list)
            case 14: try having.take(reader.message(field, as: PredicateNode.self))
            case 15: fetch.locale = try reader.text(field, "coffer.v1.FetchRequest.locale")
            case 16: label = try reader.text(field, "coffer.v1.FetchRequest.label")
            case 17: withoutValues = try reader.flag(field)
            case 18: generation = try reader.number(field)
            default: try reader.skip(field)
            }
        }
        fetch.resultType = try choice(UInt8(clamping: resultType), "coffer.v1.FetchRequest.result_type")
        fetch.predicate = try predicate.resultIfAny()
        fetch.having = try having.resultIfAny()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(store))
        writer.put(2, text: fetch.entityName)
        try writer.put(3, predicate: fetch.predicate)
        try writer.put(4, messages: fetch.sortDescriptors)
        writer.put(5, number: UInt64(clamping: fetch.limit))
        writer.put(6, number: UInt64(clamping: fetch.offset))
        writer.put(7, flag: !fetch.includesSubentities)
        writer.put(8, number: UInt64(fetch.resultType.rawValue))
        for property in fetch.propertiesToFetch { writer.always(9, text: property) }
        writer.put(10, flag: fetch.returnsDistinctResults)
        writer.put(11, flag: withoutHolding)
        for named in fetch.expressions {
            try writer.put(12, message: NamedExpressionMessage(named))
        }
        for path in fetch.groupBy { writer.always(13, text: path) }
        try writer.put(14, predicate: fetch.having)
        writer.put(15, text: fetch.locale)
        writer.put(16, text: label)
        writer.put(17, flag: withoutValues)
        writer.put(18, number: generation)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension FetchRequestMessage {
    /// Gives the objects that the predicate names, which so far have only the indices of their entities,
    /// entity and store.
    ///
    /// To be called before the predicate of a message that was read is used: its reader does not know the
    /// store's model.
    ///
    /// - Throws: `WireError.malformed` if the model has no such entity.
    package mutating func resolveObjects(
        in model: ManagedObjectModel, storeUUID: UUID
    ) throws(WireError) {
        if let predicate = fetch.predicate, predicate.namesObjects() {
            fetch.predicate = try .made(
                of: Self.resolved(predicate.nodes(), model: model, storeUUID: storeUUID))
        }
        if let having = fetch.having, having.namesObjects() {
            fetch.having = try .made(of: Self.resolved(having.nodes(), model: model, storeUUID: storeUUID))
        }
        for index in fetch.expressions.indices {
            let nodes = try fetch.expressions[index].expression.nodes()
            fetch.expressions[index].expression = try .made(
                of: Self.resolved(nodes, model: model, storeUUID: storeUUID))
        }
    }

    /// The steps with objects as the model has them.
    private static func resolved(
        _ steps: [PredicateNode], model: ManagedObjectModel, storeUUID: UUID
    ) throws(WireError) -> [PredicateNode] {
        var nodes = steps
        for index in nodes.indices {
            guard case .constant(.object(let id)) = nodes[index] else { continue }
            let resolved = try ObjectReferenceMessage(id).id(in: model, storeUUID: storeUUID)
            nodes[index] = .constant(.object(resolved))
        }
        return nodes
    }
}

/// `coffer.v1.NamedExpression`, in a wrapper that carries the message's name.
private struct NamedExpressionMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.NamedExpression" }

    var value: NamedExpression

    init(_ value: NamedExpression) { self.value = value }

    init(reading reader: inout FieldReader) throws(WireError) {
        value = NamedExpression("", .evaluatedObject)
        var type: UInt32 = 0
        var assembly = PredicateAssembly()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: value.name = try reader.text(field, "coffer.v1.NamedExpression.name")
            case 2: try assembly.take(reader.message(field, as: PredicateNode.self))
            case 3: type = try reader.number32(field)
            default: try reader.skip(field)
            }
        }
        value.type = type == 0 ? nil : try choice(type, "coffer.v1.NamedExpression.type")
        value.expression = try assembly.expression()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, text: value.name)
        try writer.put(2, expression: value.expression)
        writer.put(3, number: UInt64(value.type?.rawValue ?? 0))
    }
}

extension QuerySort: FieldMessage {
    static var name: StaticString { "coffer.v1.SortDescriptor" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(keyPath: [], isAscending: true, comparison: .binary)
        var comparison: UInt32 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1:
                let name: StaticString = "coffer.v1.SortDescriptor.key_path"
                try keyPath.append(reader.text(field, name), name, limit: Limits.keyPath)
            case 2: isAscending = try !reader.flag(field)
            case 3: comparison = try reader.number32(field)
            default: try reader.skip(field)
            }
        }
        self.comparison = try choice(UInt8(clamping: comparison), "coffer.v1.SortDescriptor.comparison")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        for name in keyPath { writer.always(1, text: name) }
        writer.put(2, flag: !isAscending)
        writer.put(3, number: UInt64(comparison.rawValue))
    }
}
