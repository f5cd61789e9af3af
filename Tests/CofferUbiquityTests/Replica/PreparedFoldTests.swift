import Coffer
import CofferUbiquity
import ContextSupport
import Synchronization
import TestSupport
import Testing

@Suite("Many changes are folded beside whoever saves")
struct PreparedFoldTests {
    private static let count = 300

    @Test func `what is saved before they are written is folded with them, and others get both`() throws {
        try withSharedFolder { shared in
            let (writer, reader) = (
                try shared.device("writer", teams()), try shared.device("reader", teams())
            )
            let context = writer.context()
            let team = try context.make("Team", ["name": "red", "code": "r"])
            for number in 0..<Self.count {
                let person = try context.make("Person", ["name": .string("p\(number)")])
                try person.setObjects([team], forKey: "team")
            }
            try context.save()
            let isDone = Mutex(false)
            writer.whenPrepared { context in
                if isDone.withLock({ isDone in
                    defer { isDone = true }
                    return isDone
                }) {
                    return
                }
                #expect(throws: Never.self) {
                    let people = try context.all("Person").sorted { "\($0["name"])" < "\($1["name"])" }
                    people[0]["age"] = .integer(5)
                    context.delete(people[1])
                    try people[2].setObjects([], forKey: "team")
                    let other = try context.make("Team", ["name": "blue"])
                    try people[3].setObjects([other], forKey: "team")
                    try context.make("Person", ["name": "late"])
                    try context.save()
                }
            }
            writer.run()
            #expect(isDone.withLock { $0 })
            writer.whenPrepared(nil)
            #expect(try ReplicaVerification.of(writer.store)?.differences == [])
            exchange([writer, reader])
            let (one, other) = (try contents(of: writer), try contents(of: reader))
            let isEqual = one == other
            #expect(isEqual)
            #expect(one.count == Self.count + 2)
            #expect(one.contains { $0.contains("late") } && one.contains { $0.contains("age=integer(5)") })
            #expect(writer.status.differing.isEmpty && reader.status.differing.isEmpty)
        }
    }

    /// Saves many, and ends the work when they are folded and not written.
    private func cutOff(_ writer: consuming Device) throws {
        let context = writer.context()
        for number in 0..<Self.count { try context.make("Person", ["name": .string("p\(number)")]) }
        try context.save()
        writer.whenPrepared { [work = writer.work] _ in work.end() }
        _ = writer.tryRunning()
        writer.whenPrepared(nil)
        #expect(writer.status.lastFold == 0)
        try writer.close()
    }

    @Test func `what is not written when the work ends is folded again`() throws {
        try withSharedFolder { shared in
            try cutOff(shared.device("writer", teams()))
            let (writer, reader) = (
                try shared.device("writer", teams()), try shared.device("reader", teams())
            )
            exchange([writer, reader])
            #expect(try contents(of: reader).count == Self.count)
            let isEqual = try contents(of: writer) == contents(of: reader)
            #expect(isEqual)
        }
    }
}
