internal import CofferContainer
internal import CofferMerge

extension ContainerSimulation {
    func check(_ peer: Int) throws(Divergence) {
        if let fault = peers[peer].store.replica.fault(without: mutant) {
            throw Divergence(fault, peer: peer)
        }
    }

    /// Peers that tell of having the same folds have the same registers.
    func checkDigests(_ peer: Int) throws(Divergence) {
        let differing = peers[peer].exchange.differing(from: peers[peer].digest)
        if differing.isEmpty { return }
        throw Divergence(
            .broken("others have the same folds and not the same registers: \(differing)"), peer: peer)
    }

    /// What a container owes its peers, whatever the carrier does.
    func checkCarried(_ peer: Int) throws(Divergence) {
        let removals = folders.takeRemovals()
        if folders.hasTrespasses {
            throw Divergence(.broken("a peer wrote outside its container"), peer: peer)
        }
        try checkTaken(peer)
        if hasCopies { return }
        try checkDigests(peer)
        let exchange = peers[peer].exchange
        for name in removals {
            guard case .log(let writer, let folds) = name.identity, writer == exchange.peer else { continue }
            let isRead = peers.indices.contains { other in
                other != peer && peers[other].exchange.vector.folds(of: writer).contains(folds)
            }
            let jumped = exchange.rules.step * (jumps[peer] ?? 0)
            let patience = exchange.rules.patience - jumped
            let isInLarger = folders.hasStood(
                largerThan: folds, by: writer, for: exchange.rules.lonePatience - jumped,
                in: peers[peer].folder)
            if isRead || isInLarger || folders.hasStood(name, for: patience)
                || folders.hasStood(baselineOf: folds, by: writer, for: patience)
            {
                continue
            }
            throw Divergence(.broken("\(name) went, and no peer had read it"), peer: peer)
        }
        var kept = FoldSet()
        for log in exchange.outbox where log.writer == exchange.peer { kept.insert(log.content.chain.folds) }
        kept.formUnion(folders.foldsOfBaselines(by: exchange.peer))
        if exchange.lastFold > 0 {
            let lost = FoldSet(1...exchange.lastFold).subtracting(kept)
            if !lost.isEmpty {
                throw Divergence(
                    .broken("folds \(lost.runs) are in no baseline, and could not be put again"), peer: peer)
            }
        }
        guard !hasForgotten else { return }
        let there = folders.coverage
        for (writer, folds) in folders.everPut where !folds.subtracting(there.folds(of: writer)).isEmpty {
            throw Divergence(.broken("folds of \(writer) are nowhere in the container"), peer: peer)
        }
    }

    /// A peer tells of damage that keeps folds from it.
    func checkTold(_ peer: Int) throws(Divergence) {
        if hasCopies { return }
        let exchange = peers[peer].exchange
        if let name = folders.damage(in: peers[peer].folder, untoldBy: exchange) {
            throw Divergence(.broken("\(name) is damaged, and that is not told"), peer: peer)
        }
    }

    /// A peer that tells of having a log has what it holds, or something greater.
    private func checkTaken(_ peer: Int) throws(Divergence) {
        var state = peers[peer].store.replica.state
        for (name, object) in peers[peer].exchange.known {
            guard case .log = object.facts else { continue }
            for register in folders.registers(of: name) where !state.join(register).isEmpty {
                throw Divergence(.broken("\(name) counts as read, and is not in the state"), peer: peer)
            }
        }
    }
}
