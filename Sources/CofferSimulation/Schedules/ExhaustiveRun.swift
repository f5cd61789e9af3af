package import CofferMerge

/// All orders in which two peers can do two saves each and read of each other before any of them, for every
/// pair of kinds of edits.
///
/// Peers begin with the same few objects. One does an edit of the first kind and then one of the second, the
/// other the other way round; which objects they edit follows from a number.
package struct ExhaustiveRun {
    private let model: MergeModel
    private let variants: Int

    /// A run in which each order is tried on so many choices of objects.
    package init(model: MergeModel, variants: Int) {
        self.model = model
        self.variants = variants
    }

    /// Runs all.
    ///
    /// - Parameter report: Told of each schedule that went wrong: the seed is of its choices.
    /// - Returns: How many schedules were run.
    package func run(_ report: (Schedule, Divergence) -> Void) -> Int {
        var count = 0
        for first in EditKind.allCases {
            for second in EditKind.allCases {
                for order in Self.orders {
                    for reading in 0..<16 {
                        for variant in 0..<variants {
                            let schedule = Schedule(
                                kinds: [[first, second], [second, first]], order: order, reading: reading,
                                variant: UInt64(variant))
                            count += 1
                            if let wrong = schedule.divergence(model: model) { report(schedule, wrong) }
                        }
                    }
                }
            }
        }
        return count
    }

    /// Who saves when: all ways to lay two saves of each peer in a row.
    private static let orders: [[Int]] = (0..<16).map { bits in (0..<4).map { bits >> $0 & 1 } }
        .filter { $0.count { $0 == 0 } == 2 }
}

extension Schedule {
    /// Two peers with equal beginnings; in `reading` a bit says whether a peer reads before a save.
    fileprivate init(kinds: [[EditKind]], order: [Int], reading: Int, variant: UInt64) {
        var draw = Draw(variant)
        var drawn: [Event] = []
        func add(_ peer: Int, _ kind: Kind) {
            drawn.append(Event(place: drawn.count, peer: peer, kind: kind, seed: draw.next()))
        }
        for _ in 0..<6 { add(0, .save(.insert)) }
        for kind in [EditKind.link, .tag, .marry, .delete] { add(0, .save(kind)) }
        add(1, .meet)
        var done = [0, 0]
        for (place, peer) in order.enumerated() {
            if reading >> place & 1 == 1 { add(peer, .meet) }
            add(peer, .save(kinds[peer][done[peer]]))
            add(peer, .fold)
            done[peer] += 1
        }
        self.init(
            peers: 2, skews: [0, 0],
            entities: [["Folder", "Item"], ["Dept", "Person"], ["Item", "Tag"], SimulatedModel.names][
                Int(variant % 4)], carrierSeed: variant, events: drawn)
    }
}
