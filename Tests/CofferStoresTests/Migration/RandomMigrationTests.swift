import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Migrations in place, compared with copies that are made one by one.
@Suite struct RandomMigrationTests {
    @Test(arguments: Seed.several(30))
    func `a store has what a copy of its objects one by one would have`(_ seed: Seed) throws {
        print("seed \(seed)")
        var generator = seed.generator()
        var models = RandomModels(generator)
        guard var model = models.model else { return }
        try withTemporaryFolder { path in
            try RandomObjects.fill(
                MigrationHarness(path: path, source: model, destination: model), &generator)
            for _ in 0..<4 {
                models.advance()
                guard let next = models.model else { continue }
                let harness = MigrationHarness(path: path, source: model, destination: next)
                guard try harness.compare("seed \(seed)") else { continue }
                model = next
            }
        }
    }
}

/// Migrations by mapping models, compared with copies that are made one by one.
@Suite struct RandomMappingTests {
    @Test(arguments: Seed.several(20))
    func `a mapping model makes what a copy of the objects one by one would have`(_ seed: Seed) throws {
        print("seed \(seed)")
        var generator = seed.generator()
        var models = RandomModels(generator)
        guard var model = models.model else { return }
        try withTemporaryFolder { path in
            try RandomObjects.fill(
                MigrationHarness(path: path, source: model, destination: model), &generator)
            for _ in 0..<3 {
                models.advance()
                guard let next = models.model else { continue }
                // A store that has the model already is left alone, whatever a mapping model says.
                if try StoreModel(next).id == StoreModel(model).id { continue }
                let mapping = try RandomMappings.mapping(from: model, to: next, &generator)
                let harness = MigrationHarness(
                    path: path, source: model, destination: next, mapping: mapping)
                // Two ends of different pairs may have come together.
                guard (try? harness.resolved()) != nil, try harness.compare("seed \(seed)") else { continue }
                model = next
            }
        }
    }
}

/// Mapping models that follow from a seed: what can be inferred, with some values from elsewhere.
enum RandomMappings {
    static func mapping(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        _ generator: inout SeededGenerator
    ) throws -> MappingModel {
        let inferred = try InferredMapping(from: source, to: destination)
        var entities = inferred.entities.map { mapping in
            let new = destination.entities[mapping.entity]
            guard let origin = mapping.origin else {
                return MappingModel.Entity(new.name, kind: .add, source: nil, destination: new.name)
            }
            let old = source.entities[origin]
            var entity = MappingModel.Entity(
                "\(old.name)To\(new.name)", kind: .transform, source: old.name, destination: new.name)
            for (property, move) in zip(new.properties, mapping.properties) {
                switch move {
                case .attribute(let place, _):
                    let value =
                        expression(for: property, in: old, &generator)
                        ?? "$source.\(old.properties[place].name)"
                    entity.attributes.append(.init(property.name, .expression(value)))
                case .relationship(let place, _):
                    let name = old.properties[place].name
                    entity.relationships.append(
                        .init(property.name, .mappedRelationship(name, objects: "$source.\(name)")))
                case .added, .none, .computed: break
                }
            }
            return entity
        }
        entities += inferred.removed.map { index in
            MappingModel.Entity(
                "\(source.entities[index].name)Goes", kind: .remove, source: source.entities[index].name,
                destination: nil)
        }
        return MappingModel(entities: entities)
    }

    /// Now and then something else than the attribute itself.
    private static func expression(
        for property: PropertyDescription, in old: EntityDescription, _ generator: inout SeededGenerator
    ) -> String? {
        guard let attribute = property.attribute, !attribute.allowsExternalStorage,
            Int.random(in: 0...2, using: &generator) == 0
        else { return nil }
        let numbers = old.attributes.filter { $0.type.isNumeric && !$0.isTransient }
        let texts = old.attributes.filter { $0.type == .string && !$0.isTransient }
        switch attribute.type {
        case .double, .decimal, .string:
            if let number = numbers.randomElement(using: &generator) { return "$source.\(number.name) + 1" }
            return attribute.type == .string ? "\"it's\"" : "1"
        case .integer64: return "7"
        case .uri:
            return texts.randomElement(using: &generator).map { "uppercase:($source.\($0.name))" }
        default: return nil
        }
    }
}

/// The files beside a store.
enum ExternalStore {
    /// Expects that rows and files agree, and that nothing waits.
    static func expectWhole(_ file: StoreFile, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var named: Set<String> = []
        let reader = try file.makeReader()
        for column in file.schema.externalColumns {
            let statement = try reader.prepare(
                "SELECT CAST(substr(\(column.name), 2, 36) AS TEXT) FROM \(column.table) "
                    + "WHERE length(\(column.name)) = 38 AND substr(\(column.name), 1, 1) = x'02'")
            while try statement.step() { named.insert(statement.text(0)) }
        }
        let folder = file.folder.path + "/.Test_SUPPORT/_EXTERNAL_DATA"
        let files = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        #expect(files == named, sourceLocation: sourceLocation)
    }
}
