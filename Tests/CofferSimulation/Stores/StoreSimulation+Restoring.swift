internal import CofferContainer
internal import CofferMerge
internal import CofferUbiquity

extension StoreSimulation {
    /// Makes a backup the content of a store again, for all peers: what is otherwise now is saved as an edit.
    ///
    /// - Throws: `Divergence` if that fails, or if to do it again changes anything.
    func restoreContent(of peer: Int, _ draw: inout Draw) throws {
        try fold(peer, &draw)
        let stored = peers[peer]
        for turn in 0..<2 {
            let last = stored.lastFold
            try stored.restoreContent("backup \(peer)")
            try stored.read()
            if turn == 1, stored.lastFold != last {
                throw Divergence(.broken("a backup that was made the content is so again"), peer: peer)
            }
            stored.didFold()
            tell?("\(name(peer)) makes its backup the content")
            try checkRows(of: peer, isFolded: true)
        }
    }
}

extension StoredPeer {
    /// Makes a backup the content of the store.
    fileprivate func restoreContent(_ backup: String) throws {
        let restoration = Restoration(try content(ofBackup: backup))
        try restore(restoration)
        guard try restoration.wait(timeout: .zero) != nil else {
            throw Divergence(.broken("a backup was not made the content"))
        }
    }
}
