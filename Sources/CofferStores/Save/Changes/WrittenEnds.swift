internal import CofferModel
internal import CofferWire

/// Groups of changes of to-one relationships that follow from other changes, one for each property of an
/// entity: there may be as many such changes as objects.
struct WrittenEnds {
    struct Kind: Hashable {
        var entity: Int
        var property: Int
    }

    struct Group {
        /// The position of the group among all changes.
        var place: Int
        /// The row of each object.
        var rows: [Int64: Int]
    }

    var groups: [Kind: Group] = [:]
    /// How many changes there were when the last of these groups was added.
    var mark = 0
}

extension WrittenChanges {
    /// Adds an object whose to-one relationship was written, which gave it `version`.
    func addEnd(_ property: EntityPlan.Property, of plan: EntityPlan, _ key: Int64, version: UInt32) {
        refresh(LeafKey(entity: plan.index, key: key))
        // Groups that were added since stand behind these, which takes no more objects.
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

    /// Closes the groups: further ends begin new ones.
    func closeEnds() { writtenEnds = WrittenEnds() }
}
