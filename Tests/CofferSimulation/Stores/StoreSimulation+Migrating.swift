extension StoreSimulation {
    /// Opens the store with the second version of the model, and folds what was saved with the first one.
    func migrate(_ peer: Int, _ draw: inout Draw) throws {
        // Some stores are migrated before what was saved is folded.
        if draw.chance(50) { try fold(peer, &draw) }
        let stored = peers[peer]
        guard stored.version == .first else { return }
        try stored.migrate()
        if let failure = try stored.work(onlyFolding: true) {
            throw Divergence(.broken("a fold after a migration failed: \(failure)"), peer: peer)
        }
        try stored.read()
        stored.didFold()
        tell?("\(name(peer)) takes its store to the next version of the model")
        try checkRows(of: peer, isFolded: true)
    }
}
