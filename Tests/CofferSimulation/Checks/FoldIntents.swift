internal import CofferMerge

extension Replica {
    /// What a fold owes its author beside that all is seen as he saw it; the first that does not hold.
    func unkept(
        _ edits: [LocalEdit], _ registers: [Register], risen: Set<RecordID>, formerlyDead dead: Set<RecordID>
    ) -> String? {
        for edit in edits {
            for case .set(let name, let property, _) in edit.changes {
                guard let object = graph.object(name) else { continue }
                // What a required key hid joins what is given that key, as by an import.
                if risen.isDisjoint(with: object.records), !isOne(object.records) {
                    return "\(name.label) was edited and may come apart"
                }
                for record in object.records where !dead.contains(record) {
                    if case .dead = state.lives[record]?.value.condition {
                        return "\(record.label) was edited at \(property) and only others keep it alive"
                    }
                }
            }
        }
        let deaths = registers.compactMap { register -> (RecordID, Life, Death)? in
            guard case .life(let record, let life) = register, case .dead(let death) = life.value.condition
            else { return nil }
            return (record, life.value, death)
        }
        for (record, life, death) in deaths {
            guard let entity = model.entities[life.entity], !entity.denying.isEmpty, death.denied.isEmpty,
                !deaths.contains(where: { holds(record, by: $0.0) })
            else { continue }
            return "\(record.label) was deleted, and no rule may deny that"
        }
        return nil
    }

    /// Whether registers make records one.
    private func isOne(_ records: Set<RecordID>) -> Bool {
        guard let first = records.min() else { return true }
        var (reached, waiting) = (Set([first]), [first])
        while let record = waiting.popLast() {
            for other in state.sames(of: record) where reached.insert(other).inserted {
                waiting.append(other)
            }
        }
        return records.isSubset(of: reached)
    }

    /// Whether a record names another in a cell or shares a pair with it.
    private func holds(_ record: RecordID, by holder: RecordID) -> Bool {
        record != holder
            && ((state.cells[holder] ?? [:]).values.contains { $0.value.record == record }
                || state.pairs(of: holder).contains { $0.first == record || $0.second == record })
    }
}
