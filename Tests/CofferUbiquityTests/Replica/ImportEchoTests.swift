import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import Synchronization
import TestSupport
import Testing

@Suite("What an application does by itself to its objects")
struct ImportEchoTests {
    /// Writes when it was saved, and what it is called, as applications do.
    private final class Stamped: ManagedObject {
        override class var entityName: String { "Note" }
        private static let count = Atomic(0)

        static var calls: Int { count.load(ordering: .relaxed) }

        private static func note() -> Int { count.add(1, ordering: .relaxed).newValue }

        override func awakeFromInsert() {
            self["made"] = .string("here \(Self.note())")
        }
        override func willSave() {
            let stamp = AttributeValue.string("saved \(Self.note())")
            if value(forKey: "stamp").isNull { self["stamp"] = stamp }
        }
    }

    @Test("is not done to objects that come in, and nothing of them goes back")
    func noEcho() throws {
        try withSharedFolder { shared in
            let model = try ManagedObjectModel {
                Entity("Note") {
                    Field("name", .string)
                    Field("made", .string).optional()
                    Field("stamp", .string).optional()
                    Field("rank", .integer32).default(5)
                }
            }
            let one = try shared.device("one", model)
            let other = try shared.device("other", model)
            func context(_ device: Device) -> ManagedObjectContext {
                let context = device.context()
                context.register(Stamped.self, forEntity: "Note")
                return context
            }
            let open = context(other)
            let writer = context(one)
            let note = writer.insert(Stamped.self)
            note["name"] = "first"
            try writer.save()
            note["rank"] = 7
            try writer.save()
            exchange([one, other])
            let (calls, folds) = (Stamped.calls, other.status.lastFold)
            let came = try #require(try open.all("Note").first)
            #expect(came is Stamped)
            #expect(came["made"] == note["made"] && came["stamp"] == note["stamp"] && came["rank"] == 7)
            note["name"] = "second"
            try writer.save()
            let written = Stamped.calls
            exchange([one, other])
            open.refreshAllObjects()
            #expect(came["name"] == "second")
            #expect(Stamped.calls == written && calls > 0, "no hook ran for what came in")
            #expect(other.status.lastFold == folds, "and nothing of it is an edit")
        }
    }
}
