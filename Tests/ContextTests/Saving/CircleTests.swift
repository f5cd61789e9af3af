import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Relationships that the model marks as `coffer.acyclic`, in stores that are not shared.
@Suite struct CircleTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Node") {
                Field("name", .string).optional()
                One("parent", "Node", inverse: "children")
                Many("children", "Node", inverse: "parent")
                One("next", "Node", inverse: "previous")
                One("previous", "Node", inverse: "next")
                One("other", "Node", inverse: "others")
                Many("others", "Node", inverse: "other")
            }
            .userInfo(["coffer.acyclic": "parent next"])
            Entity("Leaf", parent: "Node") { Field("color", .string).optional() }
        }
    }

    /// Lends a context with four nodes, a to d, each the parent of the next, and all stored.
    private func withChain(
        _ backing: Backing,
        _ body: (PersistentContainer, ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let nodes = try ["a", "b", "c", "d"].map { name in
                try context.make(name == "b" ? "Leaf" : "Node", ["name": .string(name)])
            }
            for (child, parent) in zip(nodes.dropFirst(), nodes) {
                try child.setObjects([parent], forKey: "parent")
            }
            try context.save()
            try body(container, context, nodes)
        }
    }

    private func reasons(_ body: () throws -> Void) -> [ValidationFailure.Reason] {
        do {
            try body()
        } catch CofferError.validation(let failures) {
            return failures.map(\.reason)
        } catch {
            Issue.record(error)
        }
        return []
    }

    @Test(arguments: [false, true], Backing.all)
    func `a save that closes a circle is refused with the path, from either end`(
        fromTheOtherEnd: Bool, on backing: Backing
    ) throws {
        try withChain(backing) { container, context, nodes in
            if fromTheOtherEnd {
                try nodes[3].setObjects([nodes[0]], forKey: "children")
            } else {
                try nodes[0].setObjects([nodes[3]], forKey: "parent")
            }
            let failure = #expect(throws: CofferError.self) { try context.save() }
            guard case .validation(let failures)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(failures.map(\.reason) == [.circle] && failures[0].property == "parent")
            #expect(failures[0].objectID == nodes[0].objectID)
            let keys = nodes.reversed().map { $0.objectID.shortName.drop { $0 != "/" }.dropFirst() }
            #expect(failures[0].text.contains(keys.joined(separator: ", ")), "\(failures[0].text)")
            let reader = container.newContext()
            #expect(try reader.all("Node").filter { $0.objects(forKey: "parent").isEmpty }.count == 1)
            context.rollback()
            // What no note forbids may lead round.
            try nodes[0].setObjects([nodes[0]], forKey: "other")
            try context.save()
        }
    }

    @Test(arguments: Backing.all)
    func `objects that are made in a circle are refused, and those of a one-to-one`(on backing: Backing)
        throws
    {
        try withChain(backing) { _, context, nodes in
            let new = try ["x", "y"].map { try context.make("Node", ["name": .string($0)]) }
            try new[0].setObjects([new[1]], forKey: "parent")
            try new[1].setObjects([new[0]], forKey: "parent")
            #expect(reasons { try context.save() } == [.circle, .circle])
            context.rollback()
            try nodes[0].setObjects([nodes[1]], forKey: "next")
            try context.save()
            try nodes[1].setObjects([nodes[0]], forKey: "next")
            #expect(Set(reasons { try context.save() }) == [.circle])
            context.rollback()
            try nodes[2].setObjects([nodes[2]], forKey: "parent")
            #expect(reasons { try context.save() } == [.circle])
        }
    }

    @Test func `a chain of a thousand is kept, and one that is longer refused`() throws {
        try withContainer(Self.model(), on: .embedded) { container in
            let context = container.newContext()
            var last = try context.make("Node", [:])
            for _ in 0..<1_000 {
                let next = try context.make("Node", [:])
                try next.setObjects([last], forKey: "parent")
                last = next
            }
            #expect(reasons { try context.save() } == [.tooDeep])
            try last.setObjects([], forKey: "parent")
            try context.save()
        }
    }
}
