import CofferMerge
import CofferModel
import Testing

/// What a baseline may forget without anybody noticing.
@Suite struct `Burying` {
    /// Two folders of a circle, whose latest link is cut, and one in them.
    private static func circle() -> FoldingPeer {
        var one = FoldingPeer(1)
        var other = FoldingPeer(2)
        one.save(at: 1, .insert(folder(1)), .insert(folder(2)))
        other.join(one.last)
        one.save(at: 2, .link(folder(1), "parent", to: folder(2)))
        other.save(at: 3, .link(folder(2), "parent", to: folder(1)))
        one.join(other.last)
        return one
    }

    @Test func `forgets what is dead and old, and nothing that is younger`() {
        var peer = FoldingPeer(1)
        peer.save(at: 1, .insert(item(1)), .text(item(1), "name", is: "x"))
        peer.save(at: 5, .delete(item(1)))
        #expect(peer.replica.burials(before: 5, atMost: 100).isEmpty)
        let burials = peer.replica.burials(before: 6, atMost: 100)
        #expect(burials.map(\.key) == [.life(item(1))])
        peer.join(burials)
        #expect(peer.replica.state.cells[item(1)] == nil)
        #expect(peer.replica.burials(before: 100, atMost: 100).isEmpty, "once is enough")
    }

    @Test func `leaves a dead one alone whose link cuts a circle that a living one is in`() {
        // Folder 2 is at the root, since its link to folder 1 was the latest of a circle.
        var peer = Self.circle()
        peer.save(at: 4, .delete(folder(1)))
        // Another put folder 2 in again meanwhile; the circle of both shows it at the root still.
        peer.join([
            .cell(
                folder(2), "parent",
                Stamped(Cell(.record(folder(1))), Stamp(9, peer: PeerID(2), fold: 9))),
            .cell(
                folder(1), "parent",
                Stamped(Cell(.record(folder(2))), Stamp(8, peer: PeerID(2), fold: 9))),
            .life(
                folder(1),
                Stamped(
                    Life("Folder", .dead(Death(cascaded: ["children", "items"]))),
                    Stamp(10, peer: PeerID(2), fold: 9))),
        ])
        #expect(peer.object(folder(2)) != nil && peer.object(folder(1)) == nil)
        #expect(peer.replica.burials(before: 100, atMost: 100).isEmpty)
        // What would come of it otherwise:
        peer.join([
            .life(
                folder(1),
                Stamped(
                    Life("Folder", .buried(cascaded: ["children", "items"])),
                    Stamp(10, peer: PeerID(2), fold: 9)))
        ])
        #expect(peer.object(folder(2)) == nil)
    }
}
