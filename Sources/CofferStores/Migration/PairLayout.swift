internal import CofferModel

/// Finds what becomes of the relationships: each pair of them once.
///
/// A pair whose form stays keeps its columns or its table. If a to-one relationship becomes a to-many one,
/// an order comes, or several relationships become one, the links are taken out and written again.
struct PairLayout {
    private let source: SQLSchema
    private let destination: SQLSchema
    private let mapping: InferredMapping
    private let successors: [Int: Int]
    private(set) var pairs: [PairMigration] = []
    /// The to-one relationships of the destination whose columns are carried on.
    private(set) var keptToOnes: Set<SchemaLayout.Place> = []
    /// The columns of to-many relationships without inverse that are carried on.
    private(set) var keptOwnerKeys: [KeptOwnerKey] = []
    private var takenJoins: Set<String> = []

    init(
        source: SQLSchema, destination: SQLSchema, mapping: InferredMapping, successors: [Int: Int]
    ) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
        self.successors = successors
        let model = destination.model
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.declaringEntityIndex == entity.index && !relationship.isTransient {
                let inverse = model.inverse(of: relationship)
                guard isOwner(relationship, inverse), let form = destination.stored(relationship) else {
                    continue
                }
                add(relationship, form, inverse: inverse)
            }
        }
    }

    /// Whether the pair is told of by this end: the to-one one, else the first.
    private func isOwner(_ end: RelationshipDescription, _ other: RelationshipDescription?) -> Bool {
        guard let other, !other.isTransient else { return true }
        if end.isToMany != other.isToMany { return !end.isToMany }
        return (end.declaringEntityIndex, end.index) <= (other.declaringEntityIndex, other.index)
    }

    private mutating func add(
        _ owner: RelationshipDescription, _ form: SQLProperty, inverse: RelationshipDescription?
    ) {
        let other = inverse.flatMap { inverse in
            inverse.isTransient ? nil : destination.stored(inverse).map { (inverse, $0) }
        }
        var sources = self.sources(of: owner, isReversed: false)
        if sources.isEmpty, let inverse = other?.0 { sources = self.sources(of: inverse, isReversed: true) }
        var join: JoinMigration?
        if !sources.isEmpty {
            if case .toOne = form, isKept(owner, inverse: other?.0, from: sources) {
                keptToOnes.insert(place(of: owner))
                if let other, case .toOne = other.1 { keptToOnes.insert(place(of: other.0)) }
                sources = []
            } else if let found = keptJoin(owner, form, other: other, from: sources) {
                join = found
                takenJoins.insert(found.origin.name)
                sources = []
            } else if other == nil, let found = keptOwnerKey(owner, form: form, from: sources) {
                keptOwnerKeys.append(found)
                sources = []
            }
        }
        pairs.append(PairMigration(owner: owner, form: form, other: other, join: join, sources: sources))
    }

    private func place(of relationship: RelationshipDescription) -> SchemaLayout.Place {
        .init(entity: relationship.declaringEntityIndex, property: relationship.index)
    }

    /// The relationships that it was, with the objects that had them.
    private func sources(of new: RelationshipDescription, isReversed: Bool) -> [LinkSource] {
        var origins: [(relationship: RelationshipDescription, numbers: [Int])] = []
        for index in destination.model.entities[new.declaringEntityIndex].familyIndices {
            let entity = mapping.entities[index]
            guard let origin = entity.origin, let number = source.entities[origin]?.number,
                successors[number] == index,
                case .relationship(let place, _) = entity.properties[new.index],
                let old = source.model.entities[origin].properties[place].relationship
            else { continue }
            if let known = origins.firstIndex(where: {
                self.place(of: $0.relationship) == self.place(of: old)
            }) {
                origins[known].numbers.append(number)
            } else {
                origins.append((old, [number]))
            }
        }
        let family = destination.model.entities[new.destinationIndex].familyIndices
        return origins.map { old, numbers in
            LinkSource(
                relationship: old, numbers: numbers,
                ends: source.familyNumbers(of: old.destinationIndex).filter { number in
                    successors[number].map(family.contains) ?? false
                }, isReversed: isReversed)
        }
    }
}

extension PairLayout {
    /// Whether a to-one relationship was one before, for all that have it, with an inverse of the same kind.
    private func isKept(
        _ owner: RelationshipDescription, inverse: RelationshipDescription?, from sources: [LinkSource]
    ) -> Bool {
        sources.allSatisfy { origin in
            guard !origin.isReversed, case .toOne? = source.stored(origin.relationship) else { return false }
            guard let inverse else { return true }
            let past = source.model.inverse(of: origin.relationship)
            if !inverse.isToMany { return past.map { !$0.isToMany && !$0.isTransient } ?? false }
            return destination.orderColumn(of: owner) == nil
                || source.orderColumn(of: origin.relationship) != nil
        }
    }

    /// The columns of a to-many relationship without inverse that was one before, and whose owners and
    /// members all stay such.
    private func keptOwnerKey(
        _ owner: RelationshipDescription, form: SQLProperty, from sources: [LinkSource]
    ) -> KeptOwnerKey? {
        guard sources.count == 1, let origin = sources.first, !origin.isReversed,
            case .toMany(_, let key, _, let order, _) = form,
            source.model.inverse(of: origin.relationship) == nil,
            case .toMany(_, let oldKey, _, let oldOrder, _)? = source.stored(origin.relationship),
            order == nil || oldOrder != nil
        else { return nil }
        let (old, model) = (origin.relationship, destination.model)
        let members = model.entities[owner.destinationIndex].familyIndices
        let ends = [
            (old.declaringEntityIndex, model.entities[owner.declaringEntityIndex].familyIndices),
            (old.destinationIndex, members),
        ]
        let isWhole = ends.allSatisfy { entity, family in
            source.familyNumbers(of: entity).allSatisfy { successors[$0].map(family.contains) ?? false }
        }
        guard isWhole else { return nil }
        return KeptOwnerKey(
            members: members, key: (oldKey, key), order: order.flatMap { new in oldOrder.map { ($0, new) } })
    }

    /// The table of the one relationship that it was, if that was of the same form.
    private func keptJoin(
        _ owner: RelationshipDescription, _ form: SQLProperty,
        other: (relationship: RelationshipDescription, form: SQLProperty)?, from sources: [LinkSource]
    ) -> JoinMigration? {
        guard sources.count == 1, let origin = sources.first, let other,
            case .manyToMany(let name, let own, let end, let order, _) = form,
            case .manyToMany(_, _, _, let otherOrder, _) = other.form,
            case .manyToMany(let oldName, let oldOwn, let oldEnd, let oldOrder, _)? =
                source.stored(origin.relationship),
            let past = source.model.inverse(of: origin.relationship),
            case .manyToMany(_, _, _, let oldOtherOrder, _)? = source.stored(past),
            let table = destination.joinTables.first(where: { $0.identifier == name }),
            let former = source.joinTables.first(where: { $0.identifier == oldName }),
            !takenJoins.contains(former.name)
        else { return nil }
        let isSwapped = origin.isReversed
        let (pastOwn, pastEnd) = isSwapped ? (oldEnd, oldOwn) : (oldOwn, oldEnd)
        let (pastOrder, pastOtherOrder) = isSwapped ? (oldOtherOrder, oldOrder) : (oldOrder, oldOtherOrder)
        guard (order == nil) == (pastOrder == nil), (otherOrder == nil) == (pastOtherOrder == nil) else {
            return nil
        }
        var columns = [(old: pastOwn, new: own), (old: pastEnd, new: end)]
        // The key's columns keep their order, and the index has them the other way round.
        guard columns.contains(where: { $0 == (former.first, table.first) }) else { return nil }
        for case (let old?, let new?) in [(pastOrder, order), (pastOtherOrder, otherOrder)]
        where !columns.contains(where: { $0.old == old }) { columns.append((old, new)) }
        return JoinMigration(
            origin: former, table: table, columns: columns,
            filters: filters(of: owner, own: own, end: end, from: origin))
    }

    /// The ends whose objects may be there no more.
    private func filters(
        of owner: RelationshipDescription, own: String, end: String, from origin: LinkSource
    ) -> [JoinMigration.Filter] {
        let past = origin.relationship
        let (pastOwner, pastEnd) =
            origin.isReversed
            ? (past.destinationIndex, past.declaringEntityIndex)
            : (past.declaringEntityIndex, past.destinationIndex)
        return [(own, owner.declaringEntityIndex, pastOwner), (end, owner.destinationIndex, pastEnd)]
            .compactMap { column, entity, past in
                let family = destination.model.entities[entity].familyIndices
                let isWhole = source.familyNumbers(of: past).allSatisfy { number in
                    successors[number].map(family.contains) ?? false
                }
                guard !isWhole, let table = destination.table(of: entity) else { return nil }
                return .init(column: column, table: table, numbers: destination.familyNumbers(of: entity))
            }
    }
}
