import Coffer
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Containers whose content is deleted, or that others take the place of, under applications that run.
@Suite struct ContainerLifeTests {
    /// Services that miss a container's marker for a moment only, and the folder of an account.
    private func withMachines(
        _ count: Int = 1, _ body: ([AccountMachine], String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let services = try (0..<count).map { _ in
                try ServiceUnderTest(environment: ["COFFER_TEST_CONTAINER_PATIENCE": "300"])
            }
            defer { for service in services { service.stop() } }
            let machines = try services.map { try AccountMachine($0) }
            for machine in machines { try machine.signIn(root) }
            try await body(machines, root)
        }
    }

    private static func container(in root: String) -> String { "\(root)/\(AccountMachine.application)" }

    /// What was written of objects' values into a container.
    private static func contents(in root: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(container(in: root))/Notes")
            .filter { $0.hasPrefix("l-") || $0.hasPrefix("b-") || $0.hasPrefix("p-") }
    }

    @Test func `an application goes on with an empty store where its container is deleted under it`()
        async throws
    {
        try await withMachines { machines, root in
            let machine = machines[0]
            try machine.save("old")
            try machine.waitForExport(of: 1)
            let context = try machine.container.newBackgroundContext()
            try await context.perform { context in try AccountMachine.insert("unsaved", into: context) }
            let events = machine.container.storeTransitions
            try AccountMachine.deleteContainer(in: root)
            let told = await Self.transition(events)
            #expect(told.asked == [.contentRemoved])
            #expect(told.done?.kind == .contentRemoved && told.done?.added != told.done?.removed)
            try machine.wait(for: "live")
            #expect(try machine.names() == [])
            let hasChanges = await context.perform { $0.hasChanges }
            #expect(!hasChanges)
            #expect(try Self.contents(in: root) == [], "nothing is put back")
            try machine.save("new")
            try machine.waitForExport(of: 1)
            // After a restart it is the empty one, too.
            try machine.service.kill9()
            try machine.wait(forNotes: ["new"])
            let other = try ServiceUnderTest()
            defer { other.stop() }
            let second = try AccountMachine(other)
            try second.signIn(root)
            try second.wait(forNotes: ["new"])
        }
    }

    @Test func `machines whose container is deleted go on with one empty store`() async throws {
        try await withMachines(2) { machines, root in
            try machines[0].save("old")
            try machines[1].wait(forNotes: ["old"])
            try machines[1].waitForExport(of: 1)
            try AccountMachine.deleteContainer(in: root)
            for machine in machines { try machine.wait(forNotes: []) }
            for (machine, name) in zip(machines, ["a", "b"]) { try machine.save(name) }
            for machine in machines { try machine.wait(forNotes: ["a", "b"]) }
        }
    }

    @Test func `another container is another content, which what was there before is not joined with`()
        async throws
    {
        try await withMachines { machines, root in
            let machine = machines[0]
            try machine.save("old")
            try machine.waitForExport(of: 1)
            // As many logs as a store in use is not filled from, and few.
            for (number, count) in [10, 1].enumerated() {
                let aside = "\(root)-\(number)"
                try Self.makeContainer(in: root, asideOf: aside, number: number, count: count)
                let events = machine.container.storeTransitions
                let former = Self.container(in: root)
                try FileManager.default.moveItem(atPath: former, toPath: "\(aside)-former")
                try FileManager.default.moveItem(atPath: Self.container(in: aside), toPath: former)
                // So that it is looked at before the next scan.
                try machine.save("late \(number)")
                let told = await Self.transition(events)
                #expect(told.asked == [.contentRemoved])
                try machine.wait(for: "live")
                try machine.wait(forNotes: (0..<count).map { "new \(number) \($0)" })
                try machine.save("z \(number)")
                try machine.waitForExport(of: UInt64(count) + 1)
            }
        }
    }

    /// Another machine's container of the account, begun in a folder in which this machine's one cannot be
    /// seen.
    private static func makeContainer(
        in root: String, asideOf aside: String, number: Int, count: Int
    ) throws {
        _ = try Folder.make(at: aside)
        for name in try FileManager.default.contentsOfDirectory(atPath: root) where name.hasPrefix("c-") {
            try FileManager.default.copyItem(atPath: "\(root)/\(name)", toPath: "\(aside)/\(name)")
        }
        let service = try ServiceUnderTest()
        defer { service.stop() }
        let machine = try AccountMachine(service)
        try machine.signIn(aside)
        for place in 0..<count {
            try machine.save("new \(number) \(place)")
            try machine.waitForExport(of: UInt64(place) + 1)
        }
    }

    /// What is told until the content is another one.
    private static func transition(
        _ events: AsyncStream<StoreTransitionEvent>
    ) async -> (asked: [StoreTransition.Kind], done: StoreTransition?) {
        var asked: [StoreTransition.Kind] = []
        for await event in events {
            switch event {
            case .willChange(let transition): asked.append(transition.kind)
            case .didChange(let transition): return (asked, transition)
            }
        }
        return (asked, nil)
    }
}
