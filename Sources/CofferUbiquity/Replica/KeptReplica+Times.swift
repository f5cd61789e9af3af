internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire
internal import FoundationEssentials

extension KeptReplica {
    /// Has rows that an import wrote say when their objects were saved, as their authors' do: the triggers of
    /// attributes derived by `now()` fire for the import too, and for owners whose members alone it changed.
    func restoreTimes(of execution: SaveExecution, on writer: StoreWriter) throws(StoreError) {
        var rows: [Int: Set<Int64>] = [:]
        for group in execution.transaction?.changes ?? [] where group.kind != .delete {
            rows[group.entity, default: []].formUnion(group.primaryKeys)
        }
        for (index, keys) in rows {
            let entity = model.entities[index]
            for attribute in entity.derivedAttributes where attribute.isTimeOfSave {
                var times: [Int64: Double?] = [:]
                for key in keys {
                    guard let name = book.name(at: RowAddress(entity: index, key: key)),
                        let object = replica.graph.object(name, withMembers: false)
                    else { continue }
                    var time: Double?
                    if case .date(let date)? = object.values[
                        replica.model.entity(at: index).propertyName(at: attribute.index)]
                    {
                        time = date.timeIntervalSinceReferenceDate
                    }
                    times[key] = .some(time)
                }
                try writer.restoreTimes(times, of: attribute.index, ofEntityAt: index)
            }
        }
    }
}
