import Coffer
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What two machines did, each within the rules, and breaks them on both.
@Suite struct ViolationProcessTests {
    /// Boxes of at most three balls.
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Ball") {
                Field("name", .string)
                One("box", "Box", inverse: "balls").optional()
            }
            Entity("Box") {
                Field("name", .string)
                Many("balls", "Ball", inverse: "box").count(minimum: 0, maximum: 3)
            }
        }
    }

    private func add(_ names: [String], on machine: SharingMachine) throws {
        let context = machine.container.newContext()
        let box = try #require(context.all("Box").first)
        for name in names {
            try context.make("Ball", ["name": .string(name)]).setObjects([box], forKey: "box")
        }
        try context.save()
    }

    @Test func `an application is told what merging broke, and repairs it`() throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let one = try SharingMachine(sharing: root, model())
            defer { one.service.stop() }
            let other = try SharingMachine(sharing: root, model())
            defer { other.service.stop() }
            let context = one.container.newContext()
            let box = try context.make("Box", ["name": "red"])
            try context.save()
            try waitUntilEqual(one, other)
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            try add(["a", "b"], on: one)
            try add(["c", "d", "e"], on: other)
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            // Whatever a machine saves has it look at the folder again.
            for machine in [one, other] {
                let context = machine.container.newContext()
                _ = try context.make("Ball", ["name": .string("\(UUID())")])
                try context.save()
            }
            try waitUntilEqual(one, other)
            for machine in [one, other] {
                let found = try machine.container.ubiquitousViolations()
                #expect(found.count == 1 && found.first.map(\.reason) == [.tooMany], "\(found)")
                #expect(found.first.map(\.properties) == [["balls"]])
            }
            #expect(try one.container.ubiquitousViolations().first.map(\.objectID) == [box.objectID])
            for name in ["a", "c"] {
                let ball = try #require(context.all("Ball").first { $0["name"] == .string(name) })
                context.delete(ball)
                try context.save()
            }
            try waitUntilEqual(one, other)
            #expect(try other.container.ubiquitousViolations().count == 0)
        }
    }
}
