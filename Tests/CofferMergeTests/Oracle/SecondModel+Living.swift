import CofferMerge

extension SecondModel {
    /// Rule 1: the dead records as the least fixpoint, starting from none.
    func dead() -> Set<RecordID> {
        var judge = Judge(self)
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for record in known.reversed() where !judge.dead.contains(record) && judge.dies(record) {
                judge.dead.insert(record)
                isGrowing = true
            }
        }
        return judge.dead
    }

    private struct Judge {
        let world: SecondModel
        let components: Objects
        var object: [RecordID: RecordID] = [:]
        /// The object that each end names, if that has come.
        var ends: [End: (target: RecordID, stamp: Stamp)] = [:]
        /// The ends that name a record that has not come.
        var waiting: Set<End> = []
        /// Of two objects and a relationship, the greatest pair.
        var pairs: [PairKey: Stamped<Bool>] = [:]
        var dead: Set<RecordID> = []

        init(_ world: SecondModel) {
            self.world = world
            components = world.components()
            for (name, records) in components { for record in records { object[record] = name } }
            for (name, records) in components {
                for (property, relationship) in world.entity(name)?.references ?? [:] {
                    let end = End(object: name, property: property)
                    guard let cell = world.pick(property, of: records)?.cell, let named = cell.value.record
                    else { continue }
                    if let target = object[named] {
                        guard let entity = world.entity(target), relationship.targets.contains(entity.index)
                        else { continue }
                        ends[end] = (target, cell.stamp)
                    } else {
                        waiting.insert(end)
                    }
                }
            }
            world.cut(&ends)
            pairs = world.pairs(object)
        }

        func isGone(_ name: RecordID) -> Bool { components[name]?.allSatisfy(dead.contains) ?? false }

        /// Names a dead one whose death goes through that relationship.
        func isTaken(_ name: RecordID) -> Bool {
            ends.contains { end, link in
                guard end.object == name, isGone(link.target),
                    let inverse = world.entity(name)?.references[end.property]?.inverse?.property
                else { return false }
                return components[link.target]?.contains { record in
                    (world.state.lives[record]?.value.cascaded ?? world.entity(link.target)?.cascading ?? [])
                        .contains(inverse)
                } ?? false
            }
        }

        func isDenied(_ name: RecordID, _ notes: [String]) -> Bool {
            notes.contains { property in
                guard let entity = world.entity(name), let relationship = entity.relationship(property) else {
                    return false
                }
                let others: [RecordID]
                if relationship.isPaired {
                    let key = relationship.pair(name, name).relationship
                    others = pairs.filter { $0.key.relationship == key && $0.value.value }.keys
                        .flatMap { $0.first == name ? [$0.second] : $0.second == name ? [$0.first] : [] }
                } else if relationship.isToMany || relationship.isOneToOne {
                    others = ends.filter { end, link in
                        link.target == name
                            && world.entity(end.object)?.references[end.property]?.name
                                == relationship.inverse
                    }.map(\.key.object)
                } else {
                    others = ends[End(object: name, property: property)].map { [$0.target] } ?? []
                }
                return others.contains { $0 != name && !isGone($0) }
            }
        }

        func dies(_ record: RecordID) -> Bool {
            guard let life = world.state.lives[record], let name = object[record],
                let records = components[name], let entity = world.entity(name)
            else { return false }
            switch life.value.condition {
            case .buried: return true
            case .alive: return isTaken(name)
            case .dead(let death):
                if entity.editsRevive {
                    let cells = records.flatMap { world.state.cells[$0] ?? [:] }
                    if cells.contains(where: {
                        entity.attributes[$0.key] != nil && $0.value.stamp > life.stamp
                    }) {
                        return false
                    }
                }
                if isDenied(name, death.denied) { return false }
                guard let through = death.through else { return true }
                let end = End(object: name, property: through)
                if let link = ends[end] { return isGone(link.target) || isTaken(name) }
                return !waiting.contains(end) || isTaken(name)
            }
        }
    }

    /// Of the pairs of records of two objects the greatest, by the objects' names.
    func pairs(_ object: [RecordID: RecordID]) -> [PairKey: Stamped<Bool>] {
        var greatest: [PairKey: Stamped<Bool>] = [:]
        for (key, isIn) in state.pairs {
            guard let first = object[key.first], let second = object[key.second],
                let relationship = entity(first)?.pairs[key.relationship.property],
                relationship.name == key.relationship, let other = entity(second),
                relationship.targets.contains(other.index)
            else { continue }
            if first == second && key.first != key.second { continue }
            let named = relationship.pair(first, second)
            if greatest[named].map({ isIn.isGreater(than: $0) }) ?? true { greatest[named] = isIn }
        }
        return greatest
    }
}
