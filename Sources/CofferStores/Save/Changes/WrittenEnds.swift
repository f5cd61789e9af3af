internal import CofferModel
internal import CofferWire

/// Groups of changes of to-one relationships that follow from others, one for each property of an entity:
/// there may be as many such changes as objects.
struct WrittenEnds {
    struct Kind: Hashable {
        var entity: Int
        var property: Int
    }

    struct Group {
        /// Its place among all changes.
        var place: Int
        /// The row of each object.
        var rows: [Int64: Int]
    }

    var groups: [Kind: Group] = [:]
    /// How many changes there were when the last of these groups was added.
    var mark = 0
}

extension WrittenChanges {
    /// Adds an object of which one to-one relationship was written, which gave it `version`.
    func addEnd(_ property: EntityPlan.Property, of plan: EntityPlan, _ key: Int64, version: UInt32) {
        refresh(LeafKey(entity: plan.index, key: key))
        // Groups that were added since come behind these, which are closed by that.
        if groups.count != writtenEnds.mark { writtenEnds = WrittenEnds() }
        let kind = WrittenEnds.Kind(entity: plan.index, property: property.index)
        guard let place = writtenEnds.groups[kind]?.place else {
            writtenEnds.groups[kind] = WrittenEnds.Group(place: groups.count, rows: [key: 0])
            add(
                ChangeGroup(
                    kind: .update, entity: plan.index, primaryKeys: [key], versions: [version],
                    properties: [property.index]), columns: plan.history.bitmap(of: [property.index]))
            writtenEnds.mark = groups.count
            return
        }
        if let row = writtenEnds.groups[kind]?.rows[key] {
            groups[place].change.versions[row] = version
            return
        }
        writtenEnds.groups[kind]?.rows[key] = groups[place].change.primaryKeys.count
        groups[place].change.primaryKeys.append(key)
        groups[place].change.versions.append(version)
    }

    /// Lets further ends begin groups of their own.
    func closeEnds() { writtenEnds = WrittenEnds() }
}
