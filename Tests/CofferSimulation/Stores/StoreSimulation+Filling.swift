internal import CofferMerge
internal import CofferUbiquity

extension StoreSimulation {
    /// Fills a store from a backup, as from a file that an application comes with: its objects come under
    /// names of their own, and are one with those that have their keys.
    ///
    /// - Throws: `Divergence` if that fails, or if to do it again changes anything.
    func fill(_ peer: Int, choosing choice: inout Draw, _ draw: inout Draw) throws {
        let stored = peers[peer]
        let readable = backups.filter { stored.version == .second || $0.value.0 == .first }
        guard let backup = choice.pick(readable.keys.sorted()) else { return }
        try fold(peer, &draw)
        for turn in 0..<2 {
            let before = Set(stored.reading.registers)
            try stored.adopt(try stored.seed(ofBackup: "backup \(backup)"))
            try stored.read()
            if turn == 1, Set(stored.reading.registers) != before {
                throw Divergence(.broken("a store that was filled before is filled again"), peer: peer)
            }
            stored.didFold()
            tell?("\(name(peer)) is filled from the backup of \(name(backup))")
            try checkRows(of: peer, isFolded: true)
        }
    }
}
