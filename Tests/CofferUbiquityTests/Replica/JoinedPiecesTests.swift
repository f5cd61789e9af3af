import Coffer
import CofferUbiquity
import ContextSupport
import Synchronization
import TestSupport
import Testing

@Suite("Much that others wrote is joined piece by piece")
struct JoinedPiecesTests {
    private static let count = 2_500

    /// A device that has put many people into the folder, in so many saves, each folded on its own.
    private func writer(
        in shared: SharedFolder, saves: Int = 25, count: Int = Self.count
    ) throws -> Device {
        let device = try shared.device("writer", teams())
        let context = device.context()
        for save in 0..<saves {
            let team = try context.make("Team", ["name": .string("t\(save)")])
            for number in 0..<count / saves {
                let person = try context.make("Person", ["name": .string("p\(save).\(number)")])
                if number % 100 == 0 { try person.setObjects([team], forKey: "team") }
            }
            try context.save()
            device.run()
        }
        return device
    }

    @Test func `one save of another machine is seen whole`() throws {
        try withSharedFolder { shared in
            // Of more registers than a log has otherwise.
            let count = 6_000
            let writer = try writer(in: shared, saves: 1, count: count)
            let reader = try shared.device("reader", teams())
            let seen = Mutex<Set<Int>>([])
            reader.whenShown { context in
                guard let people = try? context.all("Person").count else { return }
                _ = seen.withLock { $0.insert(people) }
            }
            reader.run()
            reader.whenShown(nil)
            let counts = seen.withLock { $0 }
            #expect(counts.isSubset(of: [0, count]) && counts.contains(count))
            let isEqual = try contents(of: writer) == contents(of: reader)
            #expect(isEqual)
        }
    }

    @Test func `what is saved between two pieces is folded, and nothing is lost or doubled`() throws {
        try withSharedFolder { shared in
            let writer = try writer(in: shared)
            let reader = try shared.device("reader", teams())
            let saved = Mutex(0)
            let seen = Mutex<[Int]>([])
            reader.whenShown { context in
                let people = (try? context.all("Person").count) ?? -1
                seen.withLock { $0.append(people) }
                if saved.withLock({ $0 }) == 3 { return }
                let number = saved.withLock { count in
                    count += 1
                    return count
                }
                #expect(throws: Never.self) {
                    try context.make("Person", ["name": .string("own\(number)")])
                    try context.save()
                }
            }
            reader.run()
            reader.whenShown(nil)
            #expect(seen.withLock { $0.first { $0 > 0 && $0 < Self.count } } != nil, "it comes in pieces")
            exchange([writer, reader])
            let names = try contents(of: reader, ["Person"])
            #expect(names.count == Self.count + 3)
            #expect(names.filter { $0.contains("own") }.count == 3)
            let isEqual = try contents(of: writer) == contents(of: reader)
            #expect(isEqual)
            let differing = [writer, reader].flatMap(\.status.differing)
            #expect(differing.isEmpty)
        }
    }

    /// Ends a device's work after its first piece.
    private func cutOff(_ reader: consuming Device) throws {
        reader.whenShown { [work = reader.work] context in
            if let people = try? context.all("Person").count, people > 0 { work.end() }
        }
        _ = reader.tryRunning()
        reader.whenShown(nil)
        let part = try reader.context().all("Person").count
        #expect(part > 0 && part < Self.count)
        try reader.close()
    }

    @Test func `a join that is cut off between two pieces is done anew`() throws {
        try withSharedFolder { shared in
            let writer = try writer(in: shared)
            try cutOff(try shared.device("reader", teams()))
            let reader = try shared.device("reader", teams())
            exchange([writer, reader])
            let isEqual = try contents(of: writer) == contents(of: reader)
            #expect(isEqual)
        }
    }
}
