internal import CofferMerge

/// Rule 1: which objects are dead, judged over registers alone.
struct Living {
    private let components: Components
    private let state: State
    private let model: MergeModel
    /// What each component names: by property, the record and the stamp.
    private var names: [[String: (record: RecordID, stamp: Stamp)]]
    /// Which components name a component, and through what.
    private var namers: [[(namer: Int, property: String)]]
    /// Which components a relationship holds together with a component.
    private var partners: [[(relationship: RelationshipName, other: Int)]]

    init(_ components: Components, state: State, model: MergeModel) {
        self.components = components
        self.state = state
        self.model = model
        names = components.all.map { component in
            var names: [String: (record: RecordID, stamp: Stamp)] = [:]
            for (property, relationship) in component.entity.references {
                guard let cell = component.reference(property, in: state)?.cell,
                    let record = cell.value.record
                else { continue }
                // A record that has come and is of another entity is not named.
                if let place = components.place[record],
                    !relationship.targets.contains(components.all[place].entity.index)
                {
                    continue
                }
                names[property] = (record, cell.stamp)
            }
            return names
        }
        namers = Array(repeating: [], count: components.all.count)
        partners = namers.map { _ in [] }
        cutCircles()
        for (namer, named) in names.enumerated() {
            for (property, name) in named {
                if let place = components.place[name.record] { namers[place].append((namer, property)) }
            }
        }
        findPartners()
    }

    /// The latest link of a circle is seen as null, the dead counted too.
    ///
    /// Of a one-to-one so is the link back.
    private mutating func cutCircles() {
        var latest: [(place: Int, property: String)] = []
        let properties = Set(
            components.all.flatMap { $0.entity.references.values.filter(\.isAcyclic).map(\.name.property) })
        for property in properties {
            let links = names.enumerated().map { place, named -> Link? in
                guard components.all[place].entity.references[property]?.isAcyclic == true else { return nil }
                return named[property].flatMap { name in
                    components.place[name.record].map {
                        Link(target: $0, stamp: name.stamp, id: components.all[place].id)
                    }
                }
            }
            latest += latestOfCircles(links).map { ($0, property) }
        }
        let uncut = names
        for (place, property) in latest {
            names[place][property] = nil
            guard let relationship = components.all[place].entity.references[property],
                relationship.isOneToOne, let inverse = relationship.inverse?.property,
                let target = (uncut[place][property]?.record).flatMap({ components.place[$0] }),
                let back = uncut[target][inverse]?.record, components.place[back] == place
            else { continue }
            names[target][inverse] = nil
        }
    }

    /// Of the pairs between two components the greatest counts.
    private mutating func findPartners() {
        var objects: [RecordID: (id: RecordID, entity: String)] = [:]
        for (record, place) in components.place {
            objects[record] = (components.all[place].id, components.all[place].entity.name)
        }
        for (pair, isIn) in greatestPairs(of: state, model: model, objects: objects) where isIn.value {
            guard let first = components.place[pair.first], let second = components.place[pair.second] else {
                continue
            }
            partners[first].append((pair.relationship, second))
            partners[second].append((pair.relationship, first))
        }
    }
}

extension Living {
    /// The least set for which the rule holds.
    func dead() -> Set<RecordID> {
        var dead: Set<RecordID> = []
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for (place, component) in components.all.enumerated() {
                for record in component.records where !dead.contains(record) && dies(record, at: place, dead)
                {
                    dead.insert(record)
                    isGrowing = true
                }
            }
        }
        return dead
    }

    private func isGone(_ place: Int, _ dead: Set<RecordID>) -> Bool {
        components.all[place].records.isSubset(of: dead)
    }

    private func dies(_ record: RecordID, at place: Int, _ dead: Set<RecordID>) -> Bool {
        guard let life = state.lives[record] else { return false }
        switch life.value.condition {
        case .buried: return true
        case .alive: return namesTaker(place, dead)
        case .dead(let death):
            if wasEdited(place, after: life.stamp) || isDenied(place, by: death, dead) { return false }
            guard let property = death.through, let name = names[place][property] else { return true }
            guard let named = components.place[name.record] else { return namesTaker(place, dead) }
            return isGone(named, dead) || namesTaker(place, dead)
        }
    }

    /// Whether it refers to a deleted record whose deletion cascades along that relationship.
    private func namesTaker(_ place: Int, _ dead: Set<RecordID>) -> Bool {
        names[place].contains { property, name in
            guard let named = components.place[name.record], isGone(named, dead),
                let inverse = components.all[place].entity.references[property]?.inverse?.property
            else { return false }
            return components.all[named].records.contains { taken(by: $0, named).contains(inverse) }
        }
    }

    /// The relationships through which the death of a dead record cascaded; by the model, if it was put in
    /// too late.
    private func taken(by record: RecordID, _ place: Int) -> [String] {
        state.lives[record]?.value.cascaded ?? components.all[place].entity.cascading
    }

    /// Whether the entity asks for it, and an attribute is later than a death.
    private func wasEdited(_ place: Int, after stamp: Stamp) -> Bool {
        let entity = components.all[place].entity
        guard entity.editsRevive else { return false }
        return components.all[place].records.contains { record in
            entity.attributes.keys.contains { state.cells[record]?[$0].map { $0.stamp > stamp } ?? false }
        }
    }

    /// Whether a relationship that a death notes as denying holds another object that is not dead.
    private func isDenied(_ place: Int, by death: Death, _ dead: Set<RecordID>) -> Bool {
        let keeps = { (other: Int) in other != place && !isGone(other, dead) }
        return death.denied.contains { property in
            guard let relationship = components.all[place].entity.relationship(property) else { return false }
            if relationship.isPaired {
                let name = relationship.pair(components.all[place].id, components.all[place].id).relationship
                return partners[place].contains { $0.relationship == name && keeps($0.other) }
            }
            if relationship.isToMany || relationship.isOneToOne {
                return namers[place].contains { namer, property in
                    components.all[namer].entity.references[property]?.name == relationship.inverse
                        && keeps(namer)
                }
            }
            return names[place][property].flatMap { components.place[$0.record] }.map(keeps) ?? false
        }
    }
}
