/// Objects with what names what: all of a replica at a moment, or some.
protocol ObjectSet {
    /// The registers that they are made of.
    var view: RegisterView { get }
    /// Whether a one-to-one leads somewhere only if both ends say so.
    var isPairing: Bool { get }
    /// Of which object a record is.
    func find(_ record: RecordID) -> FoundObject?
    /// The records whose cells may name a record, as far as they are of objects of the set.
    func namers(of record: RecordID) -> Set<RecordID>
    /// The records of an object that was found.
    func records(of id: RecordID) -> RecordGroup
    /// The properties of an object that name nothing, since they would close a circle.
    func cuts(of id: RecordID) -> Set<String>
    /// Cuts a link, or joins it again.
    func cut(_ link: Link, _ isCut: Bool)
}

/// An object that was looked up by one of its records.
struct FoundObject {
    let id: RecordID
    let entity: MergeEntity
}

/// A to-one relationship of an object.
struct Link: Hashable {
    let object: RecordID
    let property: String
}

/// To which object a link leads.
enum LinkTarget {
    case nobody
    /// A record that has not come, or whose entity the model does not know.
    case unknown
    case object(RecordID)
}

extension ObjectSet {
    var model: MergeModel { view.memory.model }

    /// Of which object a record is.
    func object(of record: RecordID) -> RecordID? { find(record)?.id }

    /// The object of an id.
    func sealed(_ id: RecordID) -> SealedObject? {
        guard let found = find(id), found.id == id else { return nil }
        return sealed(found)
    }

    func sealed(_ found: FoundObject) -> SealedObject {
        SealedObject(records(of: found.id), of: found.entity, in: view)
    }

    /// The object that a property names, circles cut: of a one-to-one at both ends.
    func target(_ link: Link) -> LinkTarget {
        guard let object = sealed(link.object) else { return .nobody }
        return target(of: object, link.property)
    }

    func target(of object: SealedObject, _ property: String) -> LinkTarget {
        if cuts(of: object.id).contains(property) { return .nobody }
        let target = uncut(object, property)
        guard case .object(let other) = target,
            let inverse = object.entity.references[property]?.oneToOneInverse,
            cuts(of: other).contains(inverse), let partner = sealed(other),
            case .object(object.id) = named(by: partner, inverse)
        else { return target }
        return .nobody
    }

    /// The object that a property names, as if it closed no circle.
    private func uncut(_ object: SealedObject, _ property: String) -> LinkTarget {
        let name = named(by: object, property)
        guard isPairing, !model.omitted.contains(.mutualPairs), case .object(let target) = name,
            let inverse = object.entity.references[property]?.oneToOneInverse
        else { return name }
        guard let other = sealed(target), case .object(object.id) = named(by: other, inverse) else {
            return .nobody
        }
        return name
    }

    /// The object that the greatest cell names; none if the entity does not fit.
    private func named(by object: SealedObject, _ property: String) -> LinkTarget {
        guard let relationship = object.entity.references[property], let name = object.name(property) else {
            return .nobody
        }
        guard let target = find(name.record) else { return .unknown }
        // A record may pair with itself, but not what became one.
        if isPairing, relationship.isOneToOne, target.id == object.id, name.record != name.holder {
            return .nobody
        }
        return relationship.targets.contains(target.entity.index) ? .object(target.id) : .nobody
    }

    /// The objects whose to-one relationships lead to an object: those of one name, or one of any.
    func namers(
        of object: SealedObject, by property: String, of relationship: RelationshipName? = nil
    ) -> Set<RecordID> {
        var found: Set<RecordID> = []
        for record in object.records {
            for namer in view.namers(of: record, by: property) {
                guard let other = find(namer), let link = other.entity.references[property],
                    relationship.map({ $0 == link.name }) ?? true,
                    case .object(object.id) = target(of: sealed(other), property)
                else { continue }
                found.insert(other.id)
            }
        }
        return found
    }

    /// The objects that an object's to-one relationships name.
    func targets(of object: SealedObject) -> [RecordID] {
        object.named.compactMap { self.object(of: $0) }
    }

    /// All whose life may depend on an object's, and on which its own may.
    func neighbours(of id: RecordID) -> Set<RecordID> {
        guard let object = sealed(id) else { return [] }
        var found = Set(targets(of: object))
        for record in object.records {
            for namer in namers(of: record) {
                if let namer = self.object(of: namer) { found.insert(namer) }
            }
            for pair in view.pairs(of: record) {
                let other = pair.first == record ? pair.second : pair.first
                if let target = self.object(of: other) { found.insert(target) }
            }
        }
        return found
    }

    /// The objects that a relationship of many to many holds together with an object: of the pairs of two
    /// objects' records the greatest counts.
    func partners(of object: SealedObject, _ relationship: MergeRelationship) -> [RecordID] {
        var greatest: [RecordID: Stamped<Bool>] = [:]
        let name = relationship.pair(object.id, object.id).relationship
        for record in object.records {
            for pair in view.pairs(of: record) where pair.relationship == name {
                guard let isIn = view.pair(pair), let first = find(pair.first),
                    let second = find(pair.second), first.id != second.id || pair.first == pair.second,
                    let held = first.entity.pairs[name.property], held.name == name,
                    held.targets.contains(second.entity.index)
                else { continue }
                let other = first.id == object.id ? second.id : first.id
                if let old = greatest[other], !isIn.isGreater(than: old) { continue }
                greatest[other] = isIn
            }
        }
        return greatest.filter(\.value.value).map(\.key)
    }
}

// MARK: Circles

extension ObjectSet {
    /// The links of objects that may lead round in no circle, and those beside them that lead somewhere only
    /// if these say so too.
    func circularLinks(of ids: Set<RecordID>) -> Set<Link> {
        if !model.hasAcyclicLinks || model.omitted.contains(.circles) { return [] }
        var reached = ids
        for id in ids { reached.formUnion(neighbours(of: id)) }
        var found: Set<Link> = []
        for id in reached {
            for (property, relationship) in sealed(id)?.entity.references ?? [:]
            where relationship.isAcyclic && (ids.contains(id) || relationship.isOneToOne) {
                found.insert(Link(object: id, property: property))
            }
        }
        return found
    }

    /// The links of the circle that a link is one of; none if it is of none.
    func circle(_ start: Link) -> [Link] {
        var path: [Link] = []
        var passed: Set<Link> = []
        var link = start
        while passed.insert(link).inserted {
            path.append(link)
            guard let object = sealed(link.object),
                object.entity.references[link.property]?.isAcyclic == true,
                case .object(let target) = uncut(object, link.property)
            else { return [] }
            link = Link(object: target, property: link.property)
        }
        return link == start ? path : []
    }

    /// Judges again the links that are or were of a circle, and tells the objects whose links lead
    /// elsewhere now.
    func cutCircles(_ links: Set<Link>) -> Set<RecordID> {
        var cut: Set<Link> = []
        var judged = links
        for link in links {
            let circle = circle(link)
            judged.formUnion(circle)
            if let latest = circle.max(by: { isEarlier($0, than: $1) }) { cut.insert(latest) }
        }
        var changed: Set<RecordID> = []
        for link in judged where sealed(link.object) != nil {
            let isCut = cut.contains(link)
            if cuts(of: link.object).contains(link.property) == isCut { continue }
            self.cut(link, isCut)
            changed.insert(link.object)
        }
        return changed
    }

    /// Of equal stamps the link of the smaller id comes first.
    private func isEarlier(_ one: Link, than other: Link) -> Bool {
        guard let left = sealed(one.object)?.name(one.property),
            let right = sealed(other.object)?.name(other.property)
        else { return false }
        return (left.stamp, one.object) < (right.stamp, other.object)
    }
}
