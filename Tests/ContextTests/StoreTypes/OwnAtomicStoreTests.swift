import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Types of stores of an application's own, whose file is read and written as a whole.
@Suite struct OwnAtomicStoreTests {
    /// A form that gives what a test wants.
    private struct Given: AtomicStore {
        let graph: AtomicStoreGraph?

        func load(_ bytes: [UInt8], model: ManagedObjectModel) throws(OwnStoreError) -> AtomicStoreGraph {
            guard let graph else { throw .damaged("it is not to be read") }
            return graph
        }

        func save(_ graph: AtomicStoreGraph, model: ManagedObjectModel) throws(OwnStoreError) -> [UInt8] {
            throw .unsupported(entity: "Person", property: "name", "it is not to be written")
        }
    }

    private static func container(
        _ model: ManagedObjectModel, in folder: String, _ types: [OwnStoreType], type: String = "own"
    ) throws -> PersistentContainer {
        try PersistentContainer.embedded(
            name: "Test", model: model, folder: folder,
            stores: [StoreDescription(name: "Test", ownType: type)], ownTypes: types)
    }

    private static func countries(_ folder: String) throws -> PersistentContainer {
        let container = try container(
            CountriesInCSV.model(), in: folder, [.atomic("csv", CountriesInCSV())], type: "csv")
        try container.loadStores()
        return container
    }

    private static func reason(_ body: () throws -> Void) -> String? {
        do { try body() } catch CofferError.refused(_, let reason, _, _) { return reason } catch {
            return "\(error)"
        }
        return nil
    }

    @Test func `a file of the application's own form is read, changed and written, with its own references`()
        throws
    {
        try withTemporaryFolder { folder in
            let path = "\(folder)/Test.csv"
            try write("NO;Norway;5550\nSE;Sweden;10550\n", to: path)
            do {
                let context = try Self.countries(folder).newContext()
                let countries = try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Country").sorted(by: "population"))
                #expect(countries.map { $0["name"].text } == ["Norway", "Sweden"])
                try context.make("Country", ["code": "DK", "name": "Denmark", "population": 5_970])
                countries[0]["population"] = 5_600
                context.delete(countries[1])
                try context.save()
            }
            #expect(try text(of: path) == "NO;Norway;5600\nDK;Denmark;5970\n")
            #expect(try Self.countries(folder).newContext().texts("Country", "code") == ["DK", "NO"])
        }
    }

    @Test func `what a form cannot hold refuses the save, and the file stays as it is`() throws {
        try withTemporaryFolder { folder in
            let path = "\(folder)/Test.csv"
            try write("NO;Norway;5550\n", to: path)
            let context = try Self.countries(folder).newContext()
            let country = try context.make("Country", ["code": "XX", "name": "a;b", "population": 1])
            #expect(Self.reason { try context.save() } == "unsupported_property")
            #expect(try text(of: path) == "NO;Norway;5550\n")
            country["name"] = "c"
            country["code"] = "NO"
            #expect(Self.reason { try context.save() } == "unsupported_property")
            country["code"] = "XY"
            try context.save()
            #expect(try text(of: path) == "NO;Norway;5550\nXY;c;1\n")
        }
    }

    private static let faulty: [(String, AtomicStoreGraph?)] = [
        ("it cannot be read", nil),
        ("two objects have one reference", graph([person("a"), person("a")])),
        ("an entity is unknown", graph([AtomicStoreNode(entity: "Ghost", reference: "a")])),
        ("an attribute is unknown", graph([person("a", ["ghost": 1])])),
        ("a value is of another type", graph([person("a", ["salary": "much"])])),
        ("a number is too large", graph([person("a", ["salary": .integer(1 << 40)])])),
        ("a relationship is unknown", graph([person("a", [:], ["ghosts": []])])),
        ("an object is not there", graph([person("a", [:], ["cars": ["b"]])])),
        ("an object is of another entity", graph([person("a", [:], ["cars": ["b"]]), person("b")])),
        (
            "two owners claim one object",
            graph([
                person("a", [:], ["cars": ["c"]]), person("b", [:], ["cars": ["c"]]),
                AtomicStoreNode(entity: "Car", reference: "c"),
            ])
        ),
    ]

    private static func graph(_ objects: [AtomicStoreNode]) -> AtomicStoreGraph {
        AtomicStoreGraph(objects: objects)
    }

    private static func person(
        _ reference: String, _ values: [String: AttributeValue] = [:],
        _ relationships: [String: [String]] = [:]
    ) -> AtomicStoreNode {
        AtomicStoreNode(
            entity: "Person", reference: reference,
            values: values.merging(["name": .string(reference)]) { $1 },
            relationships: relationships)
    }

    @Test(arguments: faulty)
    func `a graph that makes no sense is refused, and its file stays as it is`(
        what: String, graph: AtomicStoreGraph?
    ) throws {
        try withTemporaryFolder { folder in
            try write("as it was", to: "\(folder)/Test.own")
            let container = try Self.container(
                try Garage.model(), in: folder, [.atomic("own", Given(graph: graph))])
            #expect(Self.reason { try container.loadStores() } == "damaged", "\(what)")
            #expect(try text(of: "\(folder)/Test.own") == "as it was")
        }
    }

    @Test func `a store that cannot write refuses the making of a file, and saves into one that is there`()
        throws
    {
        try withTemporaryFolder { folder in
            let types = [OwnStoreType.atomic("own", Given(graph: Self.graph([Self.person("a")])))]
            let model = try Garage.model()
            let first = try Self.container(model, in: folder, types)
            #expect(Self.reason { try first.loadStores() } == "unsupported_property")
            #expect(throws: (any Error).self) { try text(of: "\(folder)/Test.own") }
            try write("as it was", to: "\(folder)/Test.own")
            let second = try Self.container(model, in: folder, types)
            try second.loadStores()
            let context = second.newContext()
            #expect(try context.texts("Person", "name") == ["a"])
            try context.make("Person", ["name": "b"])
            #expect(Self.reason { try context.save() } == "unsupported_property")
            #expect(try second.newContext().texts("Person", "name") == ["a"])
            #expect(try text(of: "\(folder)/Test.own") == "as it was")
        }
    }

    @Test func `types are named plainly, once, and known`() throws {
        try withTemporaryFolder { folder in
            let model = try Garage.model()
            for names in [["sqlite"], ["a.b"], ["own", "own"], [""]] {
                let types = names.map { OwnStoreType.atomic($0, JSONStore()) }
                #expect(Self.reason { _ = try Self.container(model, in: folder, types) } == "own_type")
            }
            let container = try Self.container(model, in: folder, [.atomic("json", JSONStore())], type: "jsn")
            #expect(throws: CofferError.self) { try container.loadStores() }
        }
    }

    @Test func `the service refuses types that only an application has`() throws {
        try Backing.service.withContainers(
            Garage.model(), stores: [StoreDescription(name: "Test", ownType: "json")]
        ) { make, _ in
            #expect(Self.reason { try make().loadStores() } == "own_type")
        }
    }
}

private func text(of path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}
