internal import CofferMerge

extension SimulatedPeer {
    /// Takes the store to the second version of the model: for each item whose label no user set, one is
    /// computed from its name.
    ///
    /// What was saved is folded before.
    ///
    /// - Parameters:
    ///   - model: The second version, by which all is seen from then on.
    ///   - time: In microseconds.
    /// - Returns: What it wrote; `nil` if it is of that version, or had nothing to compute.
    mutating func migrate(to model: MergeModel, at time: Int64) -> CarriedFold? {
        if isMigrated { return nil }
        isMigrated = true
        see(by: model)
        let property = SimulatedModel.laterAttribute
        let isEdit = mutant == .migrations
        // The lowest stamp beats no edit.
        let stamp = Stamp(isEdit ? max(0, time + skew) : 0, peer: id, fold: written)
        var registers: [Register] = []
        for object in replica.graph.seen.objects.values.sorted(by: { $0.id < $1.id })
        where object.values[property] != nil {
            guard !object.records.contains(where: { replica.state.cells[$0]?[property] != nil }),
                let home = object.records.filter({ !replica.state.isBuried($0) }).min()
            else { continue }
            let content = Cell.Content.value(SimulatedModel.label(of: object.values["name"]))
            registers.append(.cell(home, property, Stamped(Cell(content, isDefaulted: !isEdit), stamp)))
        }
        if registers.isEmpty { return nil }
        let number = folds
        join(registers)
        didWrite()
        return CarriedFold(chain: chain, number: number, registers: registers)
    }
}
