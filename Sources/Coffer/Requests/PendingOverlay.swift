import CofferModel
import FoundationEssentials

/// What a context changed among the objects of a family of entities, and a fetch has to take into account.
struct PendingOverlay {
    /// Inserted and updated objects, in the order of insertion, then by key.
    var candidates: [ManagedObject]
    /// How many of the rows that a store finds may be none in the context.
    var hiddenCount: Int
}

extension ManagedObjectContext {
    /// The changes that concern a family of entities, in some stores or all; `nil` if there are none.
    func pendingOverlay(of family: Range<Int>, in stores: [Int16]? = nil) -> PendingOverlay? {
        guard hasChanges else { return nil }
        func concerns(_ object: ManagedObject) -> Bool {
            family.contains(object.entity.index)
                && (stores.map { stores in storePlace(of: object).map(stores.contains) ?? false } ?? true)
        }
        let new = inserted.filter(concerns).sorted(by: isInsertedBefore)
        let changed = updated.filter(concerns).sorted { $0.reference.key < $1.reference.key }
        let hidden = deleted.count(where: concerns)
        guard !new.isEmpty || !changed.isEmpty || hidden > 0 else { return nil }
        return PendingOverlay(candidates: new + changed, hiddenCount: hidden + changed.count)
    }

    /// The store that an object is in, or will be; `nil` if none can take it.
    private func storePlace(of object: ManagedObject) -> Int16? {
        guard object.reference.isUnsaved else { return object.reference.store }
        // One that cannot be saved is in no store that anybody asks for.
        return try? place(of: object.entity, assigned: object.edits?.assignedStore)
    }

    /// What a store found, corrected by what the context changed.
    func apply(
        _ overlay: PendingOverlay, to found: [ManagedObject], description: FetchDescription,
        entity: EntityDescription
    ) throws(CofferError) -> [ManagedObject] {
        let predicate = try checked(description.predicate, entity)
        let judged = Set(overlay.candidates)
        var result = found.filter { !$0.isLost && !judged.contains($0) }
        let wasFound = Set(found)
        var late: [ManagedObject] = []
        var fits: Set<ManagedObject> = []
        for object in overlay.candidates where try matches(object, predicate) {
            if wasFound.contains(object) { fits.insert(object) } else { late.append(object) }
        }
        try dropDeletedAbove(&late)
        if !fits.isEmpty {
            result = found.filter { fits.contains($0) || (!$0.isLost && !judged.contains($0)) }
        }
        return result + late
    }

    /// Leaves out objects that a parent has deleted and not saved, and that are here only because members
    /// left them: no message tells of that.
    private func dropDeletedAbove(_ objects: inout [ManagedObject]) throws(CofferError) {
        guard let link else { return }
        let doubtful = objects.filter { !$0.isInserted && $0.edits?.onlyLosesMembers ?? false }
        if doubtful.isEmpty { return }
        let references = doubtful.map(\.reference)
        let living = Set(
            try link.run { parent in
                outcome { () throws(CofferError) in try parent.serveLiving(references) }
            })
        followDeletion(of: references.filter { !living.contains($0) })
        objects.removeAll { $0.isLost }
    }

    /// A predicate whose constants have the types of what they are compared with, as a store compares them.
    private func checked(
        _ predicate: QueryPredicate?, _ entity: EntityDescription
    ) throws(CofferError) -> QueryPredicate? {
        do throws(QueryError) {
            return try predicate?.check(for: entity, in: model)
        } catch {
            throw .predicate(error)
        }
    }

    /// Whether an object fits a predicate by its values in the context.
    func matches(_ object: ManagedObject, _ predicate: QueryPredicate?) throws(CofferError) -> Bool {
        guard let predicate else { return true }
        do throws(QueryError) {
            return try predicate.evaluate(on: ObjectSubject(object: object))
        } catch {
            throw .predicate(error)
        }
    }

    /// Objects in an order, those that are alike in the order they had.
    func sort(
        _ objects: [ManagedObject], by sorts: [QuerySort], locale: String
    ) throws(CofferError) -> [ManagedObject] {
        var rows: [(place: Int, values: [[AttributeValue]])] = []
        rows.reserveCapacity(objects.count)
        for (place, object) in objects.enumerated() {
            var values: [[AttributeValue]] = []
            for sort in sorts {
                do throws(QueryError) {
                    let value = try QueryExpression.keyPath(sort.keyPath).evaluate(
                        on: ObjectSubject(object: object))
                    values.append(sort.keys(of: value ?? .null, locale: locale))
                } catch {
                    throw .predicate(error)
                }
            }
            rows.append((place, values))
        }
        rows.sort { left, right in
            for (place, sort) in sorts.enumerated() {
                for (key, other) in zip(left.values[place], right.values[place]) {
                    let order = QuerySort.order(key, other)
                    if order != .same { return (order == .before) == sort.isAscending }
                }
            }
            return left.place < right.place
        }
        return rows.map { objects[$0.place] }
    }
}

/// An object as predicates see it.
package struct ObjectSubject: PredicateSubject {
    package let object: ManagedObject

    /// An object of a context.
    package init(object: ManagedObject) { self.object = object }

    /// Its id.
    package var identity: AttributeValue { .object(object.objectID) }

    /// The value of one of its properties; a fault fires.
    package func value(forKey key: String) throws(QueryError) -> SubjectValue {
        guard let slot = object.entity.propertyIndex(named: key) else {
            throw .unknownKey(key, keyPath: key, entity: object.entity.name)
        }
        guard let relationship = object.layout.relationships[slot] else {
            return .value(object.content(slot).value)
        }
        if relationship.isToMany {
            return .objects(object.members(relationship).map { ObjectSubject(object: $0) })
        }
        return .object(object.target(relationship).map { ObjectSubject(object: $0) })
    }
}
