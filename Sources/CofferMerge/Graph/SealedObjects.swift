/// Objects kept with what names what, so that a change looks at its neighbours only.
struct SealedObjects: Sendable {
    /// The objects by id.
    private(set) var all: [RecordID: SealedObject] = [:]
    /// Of which object a record is.
    private(set) var object: [RecordID: RecordID] = [:]
    /// What names a record, whether or not it has come.
    private var namers: [RecordID: Set<Link>] = [:]
    let model: MergeModel
    /// Whether a one-to-one leads somewhere only where both ends say so.
    private let isPairing: Bool

    /// A to-one relationship of an object.
    struct Link: Sendable, Hashable {
        let object: RecordID
        let property: String
    }

    /// To whom a link leads.
    enum Target {
        case nobody
        /// A record that has not come, or whose entity the model does not know.
        case unknown
        case object(RecordID)
    }

    init(_ model: MergeModel, isPairing: Bool = false) {
        self.model = model
        self.isPairing = isPairing
    }
}

extension SealedObjects {
    /// The object that a property names, circles cut: of a one-to-one at both ends.
    func target(_ link: Link) -> Target {
        guard let object = all[link.object], !object.cut.contains(link.property) else { return .nobody }
        let target = uncut(link)
        guard case .object(let other) = target,
            let inverse = object.entity.references[link.property]?.oneToOneInverse,
            all[other]?.cut.contains(inverse) ?? false,
            case .object(link.object) = named(Link(object: other, property: inverse))
        else { return target }
        return .nobody
    }

    /// Whom a property names, as if it closed no circle.
    private func uncut(_ link: Link) -> Target {
        guard isPairing, !model.omitted.contains(.mutualPairs), case .object(let target) = named(link),
            let inverse = all[link.object]?.entity.references[link.property]?.oneToOneInverse
        else { return named(link) }
        guard case .object(link.object) = named(Link(object: target, property: inverse)) else {
            return .nobody
        }
        return .object(target)
    }

    /// Whom the greatest cell names; nobody where the entity does not fit.
    private func named(_ link: Link) -> Target {
        guard let object = all[link.object], let name = object.names[link.property],
            let relationship = object.entity.references[link.property]
        else { return .nobody }
        guard let target = self.object[name.record], let entity = all[target]?.entity else { return .unknown }
        // A record may pair with itself, but not what became one.
        if isPairing, relationship.isOneToOne, target == link.object, name.record != name.holder {
            return .nobody
        }
        return relationship.targets.contains(entity.index) ? .object(target) : .nobody
    }

    /// The links that lead to an object.
    func links(to id: RecordID) -> [Link] {
        (all[id]?.records ?? []).flatMap { namers[$0] ?? [] }.filter {
            if case .object = target($0) { true } else { false }
        }
    }

    /// The objects that an object's to-one relationships name.
    func targets(of id: RecordID) -> [RecordID] {
        (all[id]?.names ?? [:]).values.compactMap { object[$0.record] }
    }

    /// All whose life may depend on an object's, and on which its own may.
    func neighbours(of id: RecordID, in state: State) -> Set<RecordID> {
        guard let object = all[id] else { return [] }
        var found: Set<RecordID> = []
        for name in object.names.values {
            if let target = self.object[name.record] { found.insert(target) }
        }
        for record in object.records {
            for link in namers[record] ?? [] { found.insert(link.object) }
            for pair in state.pairs(of: record) {
                let other = pair.first == record ? pair.second : pair.first
                if let target = self.object[other] { found.insert(target) }
            }
        }
        return found
    }

    /// The objects that a relationship of many to many holds together with an object: of the pairs of two
    /// objects' records the greatest counts.
    func partners(of id: RecordID, _ relationship: MergeRelationship, in state: State) -> [RecordID] {
        var greatest: [RecordID: Stamped<Bool>] = [:]
        let name = relationship.pair(id, id).relationship
        for record in all[id]?.records ?? [] {
            for pair in state.pairs(of: record) where pair.relationship == name {
                guard let isIn = state.pairs[pair], let first = object[pair.first],
                    let second = object[pair.second], first != second || pair.first == pair.second,
                    holds(pair.relationship, from: first, to: second)
                else { continue }
                let other = first == id ? second : first
                if let old = greatest[other], !isIn.isGreater(than: old) { continue }
                greatest[other] = isIn
            }
        }
        return greatest.filter(\.value.value).map(\.key)
    }

    private func holds(_ name: RelationshipName, from first: RecordID, to second: RecordID) -> Bool {
        guard let relationship = all[first]?.entity.pairs[name.property], let other = all[second]?.entity
        else { return false }
        return relationship.name == name && relationship.targets.contains(other.index)
    }
}

extension SealedObjects {
    /// Makes anew the objects of records whose registers changed.
    ///
    /// - Returns: The records looked at, the objects that they were of before, and all objects whose life may
    ///   have changed with them.
    mutating func renew(
        _ touched: Set<RecordID>, in state: State
    ) -> (records: Set<RecordID>, former: Set<RecordID>, objects: Set<RecordID>) {
        let groups = joined(touched, in: state)
        let records = groups.reduce(into: Set<RecordID>()) { $0.formUnion($1) }
        let known = groups.map { group in
            group.filter { record in
                state.lives[record].map { model.entities[$0.value.entity] != nil } ?? false
            }
        }
        let former = Set(records.compactMap { object[$0] })
        return (records, former, replace(records, with: known, in: state))
    }

    /// Puts objects of some records in the place of all that had such; `records` holds all of both.
    ///
    /// - Returns: The objects that were made, and those that have to do with them or with what went.
    @discardableResult
    mutating func replace(
        _ records: Set<RecordID>, with groups: [Set<RecordID>], in state: State
    ) -> Set<RecordID> {
        let former = Set(records.compactMap { object[$0] })
        var affected = former
        var uncertain: Set<Link> = []
        for record in records { affected.formUnion((namers[record] ?? []).map(\.object)) }
        for id in former {
            let neighbours = neighbours(of: id, in: state)
            affected.formUnion(neighbours)
            for link in circular([id], beside: neighbours) { uncertain.formUnion(circle(link)) }
        }
        for id in former { remove(id) }
        var made: Set<RecordID> = []
        for group in groups {
            guard let object = SealedObject(group, state: state, model: model) else { continue }
            add(object)
            made.insert(object.id)
        }
        for id in made { uncertain.formUnion(circular([id], beside: neighbours(of: id, in: state))) }
        // A former object's id is a record's: of what it became, where it went.
        affected = Set(affected.compactMap { object[$0] }).union(made)
        let recut = cutCircles(uncertain)
        affected.formUnion(recut)
        for id in made.union(recut) { affected.formUnion(neighbours(of: id, in: state)) }
        return affected
    }

    /// All records that are one with some, in groups, through those also that have not come.
    private func joined(_ records: Set<RecordID>, in state: State) -> [Set<RecordID>] {
        var reached: Set<RecordID> = []
        var groups: [Set<RecordID>] = []
        for start in records where !reached.contains(start) {
            var group: Set<RecordID> = [start]
            var waiting = model.omitted.contains(.sameness) ? [] : [start]
            while let record = waiting.popLast() {
                for other in state.sames(of: record) where group.insert(other).inserted {
                    waiting.append(other)
                }
            }
            reached.formUnion(group)
            groups.append(group)
        }
        return groups
    }

    private mutating func add(_ object: SealedObject) {
        all[object.id] = object
        for record in object.records { self.object[record] = object.id }
        for (property, name) in object.names {
            namers[name.record, default: []].insert(Link(object: object.id, property: property))
        }
    }

    private mutating func remove(_ id: RecordID) {
        guard let object = all.removeValue(forKey: id) else { return }
        for record in object.records { self.object[record] = nil }
        for (property, name) in object.names {
            namers[name.record]?.remove(Link(object: id, property: property))
            if namers[name.record]?.isEmpty == true { namers[name.record] = nil }
        }
    }
}

extension SealedObjects {
    /// The links of objects that may lead round in no circle, and those beside them that lead somewhere only
    /// where these say so too.
    private func circular(_ ids: Set<RecordID>, beside neighbours: Set<RecordID>) -> [Link] {
        if model.omitted.contains(.circles) { return [] }
        return ids.union(neighbours).flatMap { id in
            (all[id]?.entity.references ?? [:]).filter { _, relationship in
                relationship.isAcyclic && (ids.contains(id) || relationship.isOneToOne)
            }
            .map { Link(object: id, property: $0.key) }
        }
    }

    /// The links of the circle that a link is one of; none where it is of none.
    func circle(_ start: Link) -> [Link] {
        var path: [Link] = []
        var passed: Set<Link> = []
        var link = start
        while passed.insert(link).inserted {
            path.append(link)
            guard all[link.object]?.entity.references[link.property]?.isAcyclic == true,
                case .object(let target) = uncut(link)
            else { return [] }
            link = Link(object: target, property: link.property)
        }
        return link == start ? path : []
    }

    /// Judges links anew that are or were of a circle, and tells the objects whose links lead elsewhere now.
    private mutating func cutCircles(_ links: Set<Link>) -> Set<RecordID> {
        var cut: Set<Link> = []
        var judged = links
        for link in links {
            let circle = circle(link)
            judged.formUnion(circle)
            if let latest = circle.max(by: { isEarlier($0, than: $1) }) { cut.insert(latest) }
        }
        var changed: Set<RecordID> = []
        for link in judged {
            guard let object = all[link.object] else { continue }
            let isCut = cut.contains(link)
            guard object.cut.contains(link.property) != isCut else { continue }
            if isCut {
                all[link.object]?.cut.insert(link.property)
            } else {
                all[link.object]?.cut.remove(link.property)
            }
            changed.insert(link.object)
        }
        return changed
    }

    /// Of equal stamps the link of the smaller id comes first.
    private func isEarlier(_ one: Link, than other: Link) -> Bool {
        guard let left = all[one.object]?.names[one.property],
            let right = all[other.object]?.names[other.property]
        else { return false }
        return (left.stamp, one.object) < (right.stamp, other.object)
    }
}
