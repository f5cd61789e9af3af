import CofferMerge
import CofferModel
import FoundationEssentials
import MergeReference
import Testing

/// Numbers that compare otherwise than their bytes do: what SQLite's files and indexes say of them holds.
@Suite struct `A number` {
    private let model: MergeModel
    private let ids = (1...3).map { RecordID(high: $0, low: 0) }

    init() throws {
        model = MergeModel(
            try ManagedObjectModel {
                Entity("Point") {
                    Field("x", .double).optional()
                    Field("y", .float).optional()
                    Field("at", .date).optional()
                    Field("price", .decimal).optional()
                    Unique("x")
                    Unique("y")
                    Unique("at")
                    Unique("price")
                }
            })
    }

    private func stamp(_ time: Int64) -> Stamp { Stamp(time, peer: PeerID(1), fold: 0) }

    /// Two objects that differ in one value, as they are seen.
    private func seen(_ property: String, _ one: AttributeValue, _ other: AttributeValue) -> SeenGraph {
        var replica = Replica(model)
        for (id, value) in zip(ids, [one, other]) {
            replica.join([
                .life(id, Stamped(Life("Point", .alive), stamp(1))),
                .cell(id, property, Stamped(Cell(.value(value)), stamp(1))),
            ])
        }
        #expect(replica.graph.seen == MergeReference(replica.state, model: model).graph())
        return replica.graph.seen
    }

    @Test func `has no sign where it is zero, as value and as key`() {
        let zeros: [(String, AttributeValue, AttributeValue)] = [
            ("x", .double(0), .double(-0.0)), ("y", .float(0), .float(-0.0)),
            (
                "at", .date(Date(timeIntervalSinceReferenceDate: 0)),
                .date(Date(timeIntervalSinceReferenceDate: -0.0))
            ),
        ]
        for (property, zero, negative) in zeros {
            #expect(Cell(.value(zero)) == Cell(.value(negative)))
            #expect(Cell(.value(zero)).orderedBytes == Cell(.value(negative)).orderedBytes)
            #expect(seen(property, zero, negative).objects[ids[0]]?.records == [ids[0], ids[1]])
        }
    }

    @Test func `is null where it is none, so that it agrees with nothing`() {
        let none: [(String, AttributeValue)] = [
            ("x", .double(.nan)), ("x", .double(.signalingNaN)), ("y", .float(.nan)),
            ("at", .date(Date(timeIntervalSinceReferenceDate: .nan))), ("price", .decimal(.nan)),
        ]
        for (property, value) in none {
            #expect(Cell(.value(value)) == Cell(.null))
            let objects = seen(property, value, value).objects
            #expect(objects.count == 2 && objects[ids[0]]?.values[property] == .null)
        }
        #expect(seen("x", .double(.infinity), .double(.infinity)).objects.count == 1)
    }

    @Test func `is one decimal however it is written`() {
        let long = Decimal(sign: .plus, exponent: -2, significand: 100)
        #expect(Cell(.value(.decimal(long))) == Cell(.value(.decimal(1))))
        #expect(Cell(.value(.decimal(long))).orderedBytes == Cell(.value(.decimal(1))).orderedBytes)
        #expect(seen("price", .decimal(long), .decimal(1)).objects.count == 1)
    }

    @Test func `agrees as a decimal key where the nearest double does`() throws {
        let one = try #require(Decimal(string: "0.12345678901234567890"))
        let other = try #require(Decimal(string: "0.12345678901234567891"))
        #expect(Cell(.value(.decimal(one))) != Cell(.value(.decimal(other))))
        #expect(seen("price", .decimal(one), .decimal(other)).objects.count == 1)
    }

    @Test func `that is none ends a fold, and is the same on all peers`() {
        var replica = Replica(model)
        let edit = LocalEdit(
            at: 1,
            [
                .insert(ids[0], entity: "Point"), .set(ids[0], "x", Cell(.value(.double(.nan)))),
                .set(ids[0], "y", Cell(.value(.float(-0.0)))),
            ])
        let folded = replica.fold([edit], by: FoldAuthor(PeerID(1), number: 0, salt: 1))
        #expect(folded.isKept)
        var other = Replica(model)
        other.join(folded.registers)
        #expect(other.state == replica.state && other.graph.seen == replica.graph.seen)
        #expect(other.graph.object(ids[0])?.values["x"] == .null)
    }

    @Test func `of two equal stamps stays the same one, whichever came first`() {
        let cells = [0.0, -0.0, .nan, 1].map { number in
            Register.cell(ids[0], "x", Stamped(Cell(.value(.double(number))), stamp(1)))
        }
        for one in cells {
            for other in cells { #expect(State([one, other]) == State([other, one])) }
        }
    }
}
