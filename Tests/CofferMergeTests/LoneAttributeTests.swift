import CofferMerge
import CofferModel
import MergeReference
import Testing

/// Attributes in no key: an edit of one is seen at its own object, and nothing else is judged by it.
@Suite struct LoneAttributeTests {
    private let note = RecordID(high: 1, low: 1)

    private func stamp(_ time: Int64) -> Stamp { Stamp(time, peer: PeerID(1), fold: 1) }

    private func model(_ userInfo: [String: String], omitting rules: OmittedRules = []) throws -> MergeModel {
        MergeModel(
            try ManagedObjectModel {
                Entity("Note") {
                    Field("title", .string).optional()
                    Field("body", .string).optional().default("none")
                }
                .userInfo(userInfo)
            }, omitting: rules)
    }

    /// The title that is seen of a note that was deleted, and whose title was written since.
    private func title(by model: MergeModel) -> AttributeValue? {
        let alive = Register.life(note, Stamped(Life("Note", .alive), stamp(1)))
        let dead = Register.life(note, Stamped(Life("Note", .dead(Death())), stamp(2)))
        let title = Register.cell(note, "title", Stamped(Cell(.value(.string("late"))), stamp(3)))
        var replica = Replica(model)
        for register in [alive, dead, title] { replica.join([register]) }
        return replica.graph.object(note)?.values["title"]
    }

    @Test func `an edit brings its object back if the entity says so`() throws {
        let reviving = ["coffer.editsRevive": "YES"]
        #expect(title(by: try model(reviving)) == .string("late"))
        #expect(title(by: try model([:])) == nil)
        #expect(title(by: try model(reviving, omitting: .judgedEdits)) == nil, "that is judged")
    }

    @Test func `an edit that comes with its object is seen as one that comes later`() throws {
        let model = try model([:])
        let registers: [Register] = [
            .life(note, Stamped(Life("Note", .alive), stamp(1))),
            .cell(note, "title", Stamped(Cell(.value(.string("one"))), stamp(2))),
            .cell(note, "body", Stamped(Cell(.null), stamp(3))),
            .cell(note, "title", Stamped(Cell(.value(.string("two"))), stamp(4))),
        ]
        for first in registers.indices {
            var replica = Replica(model)
            replica.join(registers[...first])
            let changed = replica.join(registers[(first + 1)...])
            let graph = replica.graph
            #expect(changed == (first + 1 < registers.count ? [note] : []))
            #expect(graph.seen == MergeReference(replica.state, model: model).graph())
            #expect(graph.object(note)?.values["title"] == .string("two"))
        }
    }
}
