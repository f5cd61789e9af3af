internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// What a batch update makes of the properties of one leaf entity's objects.
struct BatchAssignments {
    private struct Assignment {
        let property: EntityPlan.Property
        let expression: QueryExpression
    }

    let plan: EntityPlan
    private let file: StoreFile
    private let assignments: [Assignment]

    /// - Throws: `unknownProperty`, `wrongType` for a property that is neither an attribute nor a to-one
    ///   relationship, `malformedRequest`.
    init(_ messages: [AssignmentMessage], of plan: EntityPlan, in file: StoreFile) throws(StoreError) {
        self.plan = plan
        self.file = file
        guard !messages.isEmpty, Set(messages.map(\.property)).count == messages.count else {
            throw .malformedRequest("a batch update of '\(plan.name)' sets nothing, or something twice")
        }
        assignments = try messages.map { message throws(StoreError) in
            guard let index = plan.description.propertyIndex(named: message.property) else {
                throw .unknownProperty(entity: plan.name, property: message.property)
            }
            let property = try plan.property(index)
            guard property.isColumn else {
                throw .wrongType(
                    entity: plan.name, property: message.property,
                    detail: "a batch update sets attributes and to-one relationships only")
            }
            return Assignment(property: property, expression: message.expression)
        }
    }

    /// The properties to read of the rows: all but large values that no expression computes with.
    var readProperties: [Int] {
        let used = Set(assignments.flatMap { $0.expression.firstKeys })
        return plan.properties.compactMap(\.self).filter { property in
            !(property.attribute?.allowsExternalStorage ?? false) || used.contains(property.name)
        }.map(\.index)
    }

    /// The new values of some rows.
    ///
    /// - Throws: `wrongType` if a value does not fit its property, `predicate` if an expression asks for
    ///   more than the object's own values.
    func columns(for rows: RowBatch) throws(StoreError) -> [Column] {
        try assignments.map { assignment throws(StoreError) in
            try column(for: assignment.property, from: assignment.expression, of: rows)
        }
    }

    private func column(
        for property: EntityPlan.Property, from expression: QueryExpression, of rows: RowBatch
    ) throws(StoreError) -> Column {
        var builder =
            property.attribute.map {
                ColumnBuilder(property: property.index, type: $0.type, capacity: rows.rowCount)
            }
            ?? ColumnBuilder(referencesOf: property.index, capacity: rows.rowCount)
        for row in 0..<rows.rowCount {
            let subject = StoredRowSubject(rows: rows, row: row, plan: plan, file: file)
            let value = try explaining { () throws(QueryError) in try expression.evaluate(on: subject) }
            guard let value, try append(value, of: property, to: &builder) else {
                throw .wrongType(
                    entity: plan.name, property: property.name,
                    detail: "the expression gives a value of another kind")
            }
        }
        return builder.finish()
    }

    private func append(
        _ value: AttributeValue, of property: EntityPlan.Property, to builder: inout ColumnBuilder
    ) throws(StoreError) -> Bool {
        guard let attribute = property.attribute else { return append(end: value, to: &builder) }
        guard let fitting = value.stored(as: attribute.type) else { return false }
        do throws(WireError) {
            try builder.append(fitting)
            return true
        } catch {
            return false
        }
    }

    private func append(end value: AttributeValue, to builder: inout ColumnBuilder) -> Bool {
        switch value {
        case .null: builder.appendNull()
        case .object(let id):
            guard id.storeUUID == file.uuid, let key = id.primaryKey,
                let entity = file.schema.model.entity(named: id.entity.name)
            else { return false }
            builder.append(reference: key, entity: UInt32(entity.index))
        default: return false
        }
        return true
    }
}

extension QueryExpression {
    /// The properties of the object itself that key paths begin with.
    fileprivate var firstKeys: [String] {
        var names: [String] = []
        _ = contains { leaf in
            if case .keyPath(let keys) = leaf { names += keys.prefix(1) }
            return false
        }
        return names
    }
}

extension AttributeValue {
    /// The value as an attribute of `type` has it: numbers change their kind if that loses nothing but
    /// digits; `nil` if it does not fit.
    fileprivate func stored(as type: AttributeType) -> AttributeValue? {
        if fits(type) { return self }
        let number: Double
        switch self {
        case .integer(let value): number = Double(value)
        case .double(let value): number = value
        case .float(let value): number = Double(value)
        case .decimal(let value): number = Double("\(value)") ?? .nan
        case .boolean(let value): number = value ? 1 : 0
        case .binary(let bytes): return type == .transformable ? .transformable(bytes) : nil
        case .string(let text): return type == .uri ? .uri(text) : nil
        default: return nil
        }
        guard number.isFinite else { return nil }
        let result: AttributeValue? =
            switch type {
            case .integer16, .integer32, .integer64: wholeNumber.map { .integer($0) }
            case .double: .double(number)
            case .float: .float(Float(number))
            case .decimal: decimalValue.map { .decimal($0) }
            case .boolean: .boolean(number != 0)
            case .date: .date(Date(timeIntervalSinceReferenceDate: number))
            default: nil
            }
        return result.flatMap { $0.fits(type) ? $0 : nil }
    }

    /// The integer that a number is, with all digits of a decimal; `nil` if it has a fraction or is too
    /// large.
    private var wholeNumber: Int64? {
        if case .decimal(let value) = self, let exact = Int64("\(value)") { return exact }
        return doubleValue.flatMap { Int64(exactly: $0) }
    }
}

/// One stored row, for expressions.
private struct StoredRowSubject: PredicateSubject {
    let rows: RowBatch
    let row: Int
    let plan: EntityPlan
    let file: StoreFile

    var identity: AttributeValue {
        .object(
            ManagedObjectID(
                entity: plan.description, storeUUID: file.uuid, key: .permanent(rows.primaryKeys[row])))
    }

    func value(forKey key: String) throws(QueryError) -> SubjectValue {
        guard let index = plan.description.propertyIndex(named: key),
            let column = rows.columns.first(where: { $0.property == index })
        else {
            throw .invalidKeyPath(
                key, entity: plan.name,
                reason: "a batch update computes with the object's stored attributes only")
        }
        if let attribute = plan.properties[index]?.attribute {
            return .value(column.value(at: row, type: attribute.type))
        }
        guard let end = column.reference(at: row) else { return .object(nil) }
        let model = file.schema.model
        guard model.entities.indices.contains(end.entity) else { return .object(nil) }
        return .object(
            End(
                id: ManagedObjectID(
                    entity: model.entities[end.entity], storeUUID: file.uuid, key: .permanent(end.key))))
    }

    /// An object at the other end, of which only the id is known.
    private struct End: PredicateSubject {
        let id: ManagedObjectID
        var identity: AttributeValue { .object(id) }

        func value(forKey key: String) throws(QueryError) -> SubjectValue {
            throw .invalidKeyPath(
                key, entity: id.entity.name,
                reason: "a batch update computes with the object's own values only")
        }
    }
}
