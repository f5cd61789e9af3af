package import CofferWire

extension StoreWriter {
    /// Executes one save inside the transaction: whole, or not at all.
    ///
    /// - Parameters:
    ///   - save: What is wanted; none of it is trusted.
    ///   - origin: The author of the save.
    /// - Returns: The answer for after the commit. If the same request was applied before, the reply that it
    ///   had then.
    /// - Throws: `requestUsed`; errors that make the request impossible whatever the store contains
    ///   (`unknownEntity`, `wrongType` …), and those of the system; check `isTransactionLost` then, and
    ///   always `mustStartAnew` if `begin` allows it.
    package func execute(_ save: SaveRequestMessage, by origin: SaveOrigin) throws(StoreError)
        -> SaveExecution
    {
        try timed { () throws(StoreError) in try executeUntimed(save, by: origin) }
    }

    private func executeUntimed(
        _ save: SaveRequestMessage, by origin: SaveOrigin
    ) throws(StoreError) -> SaveExecution {
        if let known = try knownExecution(of: save.request) { return known }
        if save.isEmpty {
            let number = lastTransaction
            return SaveExecution(
                reply: .saved(SavedMessage(number: number, isWritten: false)), number: number)
        }
        var executed: SaveExecution?
        var isRepeated = false
        var resolution: ConstraintResolution? = ConstraintResolution()
        while let known = resolution, !mustStartAnew {
            resolution = nil
            try withSavepoint { () throws(StoreError) in
                var run = try SaveRun(save, by: origin, writer: self, resolution: known)
                let execution = try run.run()
                executed = execution
                if run.constraints.hasLearned {
                    resolution = run.constraints.resolution
                    resolution?.round += 1
                    return false
                }
                guard let number = execution.number else { return false }
                guard let packed = execution.packedReply else { return true }
                if execution.replyInTransaction != nil { return true }
                isRepeated = try !storeSeparately(
                    packed, number: number, for: save.request, at: origin.timestamp)
                return !isRepeated
            }
        }
        if isRepeated { throw .requestUsed(sequence: save.request.sequence) }
        guard let executed else { throw .interrupted }  // One attempt at least was made.
        if executed.writesTransaction { changesContent = true }
        if file.source != nil, let transaction = executed.transaction, transaction.origin != .import {
            unpublished.append(transaction)
        }
        if let number = executed.number, executed.packedReply != nil {
            requests.record(save.request, number: number)
        }
        return executed
    }
}

extension SaveRequestMessage {
    /// Whether it changes nothing.
    var isEmpty: Bool {
        // Closures, since a key path of two steps is evaluated at run time.
        inserts.allSatisfy { $0.temporaryIDs.isEmpty } && updates.allSatisfy { $0.primaryKeys.isEmpty }
            && deletes.allSatisfy { $0.primaryKeys.isEmpty } && setChanges.allSatisfy { $0.owners.isEmpty }
            && orderChanges.allSatisfy { $0.owners.isEmpty } && metadata.isEmpty
            && (batch.map { $0.updates.isEmpty && $0.deletes.isEmpty } ?? true)
    }
}
