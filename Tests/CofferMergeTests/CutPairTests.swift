import CofferMerge
import CofferModel
import CofferSimulation
import MergeReference
import Testing

/// One-to-one relationships in chains that may not close: what is cut is cut at both ends.
@Suite struct CutPairTests {
    private let model = MergeWorld.models[.strict]

    private func step(_ number: Int) -> RecordID { RecordID(high: 6, low: UInt64(number)) }

    /// One save of a peer puts `second` behind `first`.
    private func follow(_ first: RecordID, _ second: RecordID, at time: Int64, by peer: UInt64) -> [Register]
    {
        let stamp = Stamp(time, peer: PeerID(peer), fold: 1)
        return [
            .cell(first, "next", Stamped(Cell(.record(second)), stamp)),
            .cell(second, "previous", Stamped(Cell(.record(first)), stamp)),
        ]
    }

    private func inserting(_ count: Int) -> [Register] {
        (1...count).map { .life(step($0), Stamped(Life("Step", .alive), Stamp(0, peer: PeerID(0), fold: 0))) }
    }

    @Test(arguments: [2, 3, 5], [1, 3] as [Int64])
    func `a circle that two peers close is cut, and each object that is named names back`(
        length: Int, time: Int64
    ) throws {
        var registers = inserting(length)
        for place in 1..<length {
            registers += follow(step(place), step(place + 1), at: time, by: 1)
        }
        registers += follow(step(length), step(1), at: 2, by: 2)
        var replica = Replica(model)
        for register in registers { replica.join([register]) }
        let graph = replica.graph
        #expect(graph.seen == MergeReference(replica.state, model: model).graph())
        var links = 0
        for object in graph.seen.objects.values {
            for (property, back) in [("next", "previous"), ("previous", "next")] {
                guard let target = object.references[property] else { continue }
                links += 1
                #expect(graph.object(target)?.references[back] == object.id)
            }
        }
        #expect(links == 2 * (length - 1), "one link is cut, at both ends")
    }
}
