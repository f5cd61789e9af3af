internal import CofferMerge
internal import CofferModel

/// What the rules promise, said once more over registers and graph, in other words than theirs.
///
/// Sentences about single records leave out those that were made one.
struct Intents {
    let state: State
    let graph: SeenGraph
    let model: MergeModel
    /// Of which object a record is seen.
    private let owner: [RecordID: RecordID]

    init(_ replica: Replica) {
        state = replica.state
        graph = replica.graph.seen
        model = replica.model
        var owner: [RecordID: RecordID] = [:]
        for object in graph.objects.values { for record in object.records { owner[record] = object.id } }
        self.owner = owner
    }

    /// The first sentence that does not hold.
    func broken() -> String? { brokenRow() ?? brokenLife() ?? brokenPair() ?? brokenValue() }

    private func brokenRow() -> String? {
        let rows = Rows(objects: graph.objects)
        if rows.sharesKeys(model: model) { return "two objects share a key" }
        if rows.hasCircles(model: model) { return "a relationship leads round" }
        for object in graph.objects.values {
            for (property, target) in object.references {
                guard let other = graph.objects[target] else {
                    return "\(object.id.label).\(property) leads to \(target.label), which is not seen"
                }
                guard let relationship = model.entities[object.entity]?.references[property],
                    relationship.isOneToOne, let inverse = relationship.inverse
                else { continue }
                if other.references[inverse.property] != object.id {
                    return "\(object.id.label).\(property) is \(target.label), which does not say so"
                }
            }
        }
        return nil
    }

    private func single(_ record: RecordID) -> Bool { state.sames(of: record).isEmpty }

    /// Whether a chain of cells leads back to a record.
    private func isRound(_ record: RecordID, _ property: String) -> Bool {
        var next = state.cells[record]?[property]?.value.record
        for _ in state.lives {
            guard let name = next else { return false }
            // What was made one may close a circle that no cell tells of.
            if name == record || !single(name) { return true }
            next = state.cells[name]?[property]?.value.record
        }
        return true
    }

    /// Whether another of a record's relationships than the one that is told leads to a deleted object that
    /// takes the record along.
    private func isTaken(_ record: RecordID, besidesBy told: String) -> Bool {
        guard let entity = state.lives[record]?.value.entity else { return false }
        return (model.entities[entity]?.references ?? [:]).contains { property, relationship in
            guard property != told, let target = state.cells[record]?[property]?.value.record,
                owner[target] == nil, graph.dead.contains(target), let life = state.lives[target]?.value,
                let inverse = relationship.inverse?.property
            else { return false }
            return model.entities[life.entity]?.cascading.contains(inverse) ?? false
        }
    }

    private func brokenLife() -> String? {
        for (record, life) in state.lives where single(record) {
            for (property, relationship) in model.entities[life.value.entity]?.references ?? [:] {
                guard let target = state.cells[record]?[property]?.value.record, single(target),
                    let named = state.lives[target], model.accepts(named.value.entity, at: relationship),
                    let inverse = relationship.inverse?.property,
                    let entity = model.entities[named.value.entity]
                else { continue }
                if relationship.isAcyclic && isRound(record, property) { continue }
                // A link that is cut is so at both ends.
                if relationship.isOneToOne, entity.references[inverse]?.isAcyclic ?? false,
                    isRound(target, inverse)
                {
                    continue
                }
                let isGone = graph.dead.contains(target)
                // One that was deleted too may be kept by what denies it.
                var isDenied = false
                if case .dead(let death) = life.value.condition { isDenied = !death.denied.isEmpty }
                if isGone, !isDenied, entity.cascading.contains(inverse), owner[record] != nil {
                    return "\(record.label) is seen in \(target.label), which is deleted"
                }
                if !isGone, case .dead(let death) = life.value.condition, death.through == property,
                    owner[record] == nil, !isTaken(record, besidesBy: property)
                {
                    return "\(record.label) was moved to \(target.label) and is gone"
                }
                if isGone, case .dead(let death) = named.value.condition, death.denied.contains(inverse),
                    !relationship.isOneToOne,
                    owner[record].map({ graph.objects[$0]?.records.count == 1 }) ?? false
                {
                    return "\(record.label) is in \(target.label), which is deleted though it denies that"
                }
            }
        }
        return nil
    }

    private func brokenPair() -> String? {
        for (pair, isIn) in state.pairs where isIn.value && single(pair.first) && single(pair.second) {
            for (record, other) in [(pair.first, pair.second), (pair.second, pair.first)]
            where record != other {
                guard graph.dead.contains(record), !graph.dead.contains(other),
                    let life = state.lives[record], case .dead(let death) = life.value.condition
                else { continue }
                let held = death.denied.contains { name in
                    model.entities[life.value.entity]?.pairs[name].map {
                        $0.pair(record, other) == pair
                    } ?? false
                }
                if held && state.lives[other] != nil {
                    return "\(other.label) holds \(record.label), which is deleted though it denies that"
                }
            }
        }
        return nil
    }

    private func brokenValue() -> String? {
        for object in graph.objects.values {
            for (property, value) in object.values where value.isNull && object.largeValues[property] == nil {
                if graph.violations.contains(where: {
                    $0.object == object.id && $0.kind == .keyTaken && $0.properties.contains(property)
                }) {
                    continue
                }
                let cells = object.records.compactMap { state.cells[$0]?[property]?.value }
                let isErased = cells.contains { $0.content == .null && !$0.isDefaulted }
                // What has no form in this version's type is as good as not there.
                let attribute = model.entities[object.entity]?.attributes[property]
                let isTold = cells.contains { $0.content != .null && attribute?.seen($0) != nil }
                if isTold && !isErased {
                    return "\(object.id.label).\(property): a default erased what a user set"
                }
            }
        }
        return nil
    }
}
