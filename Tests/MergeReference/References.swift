internal import CofferMerge

/// Rules 2, 3 and 6: where to-one relationships lead among some objects.
struct References {
    private let state: State
    private let model: MergeModel
    private let objects: [RecordID: Component]
    /// Of which object a record is.
    private let object: [RecordID: RecordID]
    /// By object and property.
    private var targets: [RecordID: [String: RecordID]] = [:]

    init(_ objects: [RecordID: Component], state: State, model: MergeModel) {
        self.objects = objects
        self.state = state
        self.model = model
        object = objects.values.reduce(into: [:]) { object, component in
            for record in component.records { object[record] = component.id }
        }
        for (id, component) in objects {
            for property in component.entity.references.keys {
                targets[id, default: [:]][property] = named(component, property)
            }
        }
        dropHalfLinks()
        cutCircles()
    }

    /// Where a relationship leads; `nil` if it leads to no object that is seen.
    func target(_ id: RecordID, _ property: String) -> RecordID? { targets[id]?[property] }

    /// The object that the cell names, be it returned or not.
    private func named(_ component: Component, _ property: String) -> RecordID? {
        guard let relationship = component.entity.references[property],
            let (cell, holder) = component.reference(property, in: state), let record = cell.value.record,
            let target = object[record], let other = objects[target],
            relationship.targets.contains(other.entity.index)
        else { return nil }
        // Objects that became one do not pair with themselves, but a record may.
        if relationship.isOneToOne, target == component.id, record != holder { return nil }
        return target
    }

    /// A pair is seen if both name each other.
    private mutating func dropHalfLinks() {
        let named = targets
        for (id, component) in objects {
            for (property, relationship) in component.entity.references where relationship.isOneToOne {
                guard let target = named[id]?[property], let inverse = relationship.inverse?.property else {
                    continue
                }
                if named[target]?[inverse] != id { targets[id]?[property] = nil }
            }
        }
    }

    /// The latest link of a circle leads nowhere.
    private mutating func cutCircles() {
        var latest: [(id: RecordID, property: String)] = []
        let ids = objects.keys.sorted()
        let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        let properties = Set(
            objects.values.flatMap { $0.entity.references.values.filter(\.isAcyclic).map(\.name.property) })
        for property in properties {
            let links = ids.map { id -> Link? in
                guard let component = objects[id],
                    component.entity.references[property]?.isAcyclic == true,
                    let target = targets[id]?[property].flatMap({ places[$0] }),
                    let cell = component.reference(property, in: state)?.cell
                else { return nil }
                return Link(target: target, stamp: cell.stamp, id: id)
            }
            latest += latestOfCircles(links).map { (ids[$0], property) }
        }
        for link in latest { cut(link.id, link.property) }
    }

    /// Takes a link away, and of a one-to-one the link back.
    private mutating func cut(_ id: RecordID, _ property: String) {
        guard let target = targets[id]?.removeValue(forKey: property),
            let relationship = objects[id]?.entity.references[property], relationship.isOneToOne,
            let inverse = relationship.inverse?.property, targets[target]?[inverse] == id
        else { return }
        targets[target]?[inverse] = nil
    }
}

extension References {
    /// An object with its attributes and to-one relationships.
    func seen(_ component: Component) -> SeenObject {
        var seen = SeenObject(component.id, entity: component.entity.name, records: component.records)
        for property in component.entity.attributes.keys {
            seen.values[property] = component.value(property, in: state)
            seen.largeValues[property] = component.largeValue(property, in: state)
        }
        for (property, target) in targets[component.id] ?? [:] { seen.references[property] = target }
        return seen
    }

    /// The required relationships that lead nowhere, though all objects that they name have come.
    func missing(_ component: Component) -> [String] {
        component.entity.references.filter { property, relationship in
            guard !relationship.isOptional, target(component.id, property) == nil else { return false }
            guard let record = component.reference(property, in: state)?.cell.value.record else {
                return true
            }
            return state.lives[record] != nil
        }
        .map(\.key)
    }
}
