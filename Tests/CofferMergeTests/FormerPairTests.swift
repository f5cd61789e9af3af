import CofferMerge
import CofferSimulation
import Testing

/// Registers of earlier builds, in which members of to-many relationships without inverse were pairs.
@Suite struct FormerPairTests {
    private let model = MergeWorld.models[.strict]
    private let one = RecordID(high: 3, low: 1)
    private let other = RecordID(high: 3, low: 2)
    private let step = RecordID(high: 6, low: 1)

    private func stamp(_ time: Int64, _ peer: UInt64 = 1) -> Stamp {
        Stamp(time, peer: PeerID(peer), fold: UInt64(time))
    }

    private func keeps(_ group: RecordID, _ isIn: Bool, at time: Int64, by peer: UInt64 = 1) -> Register {
        .pair(
            PairKey(RelationshipName("Group", "keeps"), first: group, second: step),
            Stamped(isIn, stamp(time, peer)))
    }

    private var objects: [Register] {
        [(one, "Group"), (other, "Group"), (step, "Step")].map {
            .life($0, Stamped(Life($1, .alive), stamp(0)))
        }
    }

    private func owner(_ replica: Replica) -> RecordID? {
        replica.graph.seen.objects[step]?.references["Group.keeps"]
    }

    @Test func `a pair is the owner of its member`() {
        var replica = Replica(model)
        replica.join(objects + [keeps(one, true, at: 1)])
        #expect(owner(replica) == one)
        replica.join([keeps(one, false, at: 2)])
        #expect(owner(replica) == nil)
    }

    @Test func `a member that moved in one save has the owner that it moved to`() {
        let registers = objects + [keeps(one, false, at: 2), keeps(other, true, at: 2)]
        #expect(owner(Replica(model, of: registers)) == other)
        #expect(owner(Replica(model, of: registers.reversed())) == other)
    }

    @Test func `whatever the order in which pairs come, one owner is left`() {
        let pairs = [
            keeps(one, true, at: 1), keeps(other, true, at: 2, by: 2), keeps(one, false, at: 3),
            keeps(other, true, at: 4, by: 2), keeps(one, true, at: 4),
        ]
        for first in pairs.indices {
            var replica = Replica(model, of: objects)
            for place in pairs.indices { replica.join([pairs[(first + place) % pairs.count]]) }
            #expect(owner(replica) == other, "beginning with \(first)")
            #expect(replica.state.pairs.isEmpty)
        }
    }
}
