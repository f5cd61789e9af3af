import CofferModel
import FoundationEssentials

/// What a controller knows of its request.
struct ResultPlan {
    let entity: EntityDescription
    let family: Range<Int>
    let predicate: QueryPredicate?
    let sorts: [QuerySort]
    let section: [String]?
    let locale: String
    let dependencies: ResultDependencies
    /// The properties that decide, by their places; `nil` for all.
    let slots: Set<Int>?
    /// What is fetched to learn the order; everything if it is empty.
    let columns: [String]
    /// Whether rows come and go though nothing of them changes.
    let isWindow: Bool

    init<Object: ManagedObject>(
        _ request: FetchRequest<Object>, sectionKeyPath: String?, in context: ManagedObjectContext
    ) throws(CofferError) {
        entity = try context.entity(named: request.entityName ?? context.entityName(of: Object.self))
        family = request.includesSubentities ? entity.familyIndices : entity.index..<(entity.index + 1)
        predicate = request.predicate
        sorts = request.sortDescriptors
        locale = request.locale ?? ContextLocale.own
        section = sectionKeyPath.map { $0.split(separator: ".").map(String.init) }
        let keyPaths = sorts.map(\.keyPath) + (section.map { [$0] } ?? [])
        dependencies = try ResultDependencies(
            of: predicate, keyPaths, entity: entity, model: context.model)
        slots = dependencies.ownSlots
        let entity = entity
        let areStored = keyPaths.allSatisfy { keys in
            guard keys.count == 1, let property = entity.property(named: keys[0]) else { return false }
            return property.attribute != nil && !property.isTransient
        }
        columns = areStored ? Set(keyPaths.map { $0[0] }).sorted() : []
        isWindow =
            request.limit != nil || request.offset > 0 || !request.includesPendingChanges
            || !request.affectedStores.isEmpty
    }

    var emptyRows: ResultRows {
        // A sort for each key.
        ResultRows(
            sorts: sorts.flatMap { Array(repeating: $0, count: $0.keyCount) }, hasSections: section != nil)
    }

    /// Makes sure that all objects can be given out as what they are asked for.
    func checkClasses<Object: ManagedObject>(
        _ type: Object.Type, _ context: ManagedObjectContext
    ) throws(CofferError) {
        for index in family {
            let layout = context.registry.layout(index)
            guard layout.type is Object.Type else {
                throw .wrongType(entity: layout.entity.name, property: "", expected: "class \(type)")
            }
        }
    }

    /// The row of an object.
    func row(_ object: ManagedObject) throws(CofferError) -> ResultRow {
        var keys: [AttributeValue] = []
        keys.reserveCapacity(sorts.count)
        for sort in sorts {
            let some = sort.keys(of: try value(sort.keyPath, of: object), locale: locale)
            keys += some
            for _ in some.count..<sort.keyCount { keys.append(.null) }
        }
        let name = try section.map { (keys) throws(CofferError) in try value(keys, of: object).sectionName }
        return ResultRow(
            reference: object.reference, keys: keys, section: name ?? "",
            unsaved: object.reference.isUnsaved ? object : nil)
    }

    private func value(_ keyPath: [String], of object: ManagedObject) throws(CofferError) -> AttributeValue {
        if keyPath.count == 1, let slot = object.entity.propertyIndex(named: keyPath[0]),
            object.layout.attributeTypes[slot] != nil
        {
            let value = object.content(slot).value
            // As predicates and stores judge it: rows must have an order.
            return value.isNaN ? .null : value
        }
        do throws(QueryError) {
            return try QueryExpression.keyPath(keyPath).evaluate(on: ObjectSubject(object: object)) ?? .null
        } catch {
            throw .predicate(error)
        }
    }

    /// Whether a change of these properties may change which objects are in the results, or where; an empty
    /// set means that the properties are not known.
    func decides(_ changed: Set<Int>) -> Bool {
        guard let slots, !changed.isEmpty else { return true }
        return !slots.isDisjoint(with: changed)
    }
}

extension AttributeValue {
    /// The value as the name of a section.
    fileprivate var sectionName: String {
        switch self {
        case .null: ""
        case .string(let text), .uri(let text): text
        case .integer(let number): "\(number)"
        case .boolean(let flag): flag ? "1" : "0"
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .date(let date): "\(date)"
        case .uuid(let uuid): uuid.uuidString
        case .binary(let bytes), .transformable(let bytes): "\(bytes.count) bytes"
        case .object(let id): "\(id)"
        }
    }
}
