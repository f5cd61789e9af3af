import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import Foundation
import TestSupport
import Testing

/// Versions of models that applications had, one after the other; the models are not part of the repository.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct FamilyMigrationTests {
    static let families = [
        "stores/duckduckgo/BookmarksModel.xcdatamodeld", "stores/coredataplus/SampleModel.xcdatamodeld",
        "stores/bookmigration/Model.xcdatamodeld", "models/loopkit/Model.xcdatamodeld",
        "models/ensembles/Resources/CDEEventStoreModel.xcdatamodeld",
        "models/kodeco/UnCloudNotes/UnCloudNotesDataModel.xcdatamodeld",
    ]

    /// The versions of a family, in the order of their names.
    private func versions(_ family: String) throws -> [(name: String, model: ManagedObjectModel)] {
        let folder = try FixtureFolder.required() + "/" + family
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".xcdatamodel")
        }
        // "Model" is before "Model 2".
        return try names.map { String($0.dropLast(12)) }.sorted { ($0.count, $0) < ($1.count, $1) }.map {
            ($0, try Self.relaxed(ModelFile.read(path: "\(folder)/\($0).xcdatamodel")))
        }
    }

    /// The model without rules that objects made at random would break, and without what stores compute.
    private static func relaxed(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: model.entities.map { entity in
                var definition = entity.definition
                definition.uniquenessConstraints = []
                for place in definition.attributes.indices {
                    definition.attributes[place].validation = AttributeValidation()
                    definition.attributes[place].derivationExpression = nil
                    // What is required and has no default would be refused.
                    if definition.attributes[place].defaultValue.isNull {
                        definition.attributes[place].isOptional = true
                    }
                }
                for place in definition.relationships.indices {
                    definition.relationships[place].isOptional = true
                    definition.relationships[place].minimumCount = 0
                    definition.relationships[place].maximumCount =
                        definition.relationships[place].isToMany ? 0 : 1
                }
                return definition
            })
    }

    @Test func `every family with several versions is among them`() throws {
        let root = try FixtureFolder.required()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            $0.hasSuffix(".xcdatamodel")
        }
        let folders = paths.map { String($0[..<($0.lastIndex(of: "/") ?? $0.endIndex)]) }
        let several = Dictionary(grouping: folders) { $0 }.filter { $0.value.count > 1 }.keys
        let families = several.filter { $0.hasSuffix(".xcdatamodeld") }
        #expect(Set(families) == Set(Self.families))
    }

    @Test(.leftToAll, arguments: families)
    func `each version follows the one before, and the last one the first`(family: String) throws {
        let versions = try versions(family)
        var pairs = zip(versions, versions.dropFirst()).map { ($0, $1) }
        if versions.count > 2, let first = versions.first, let last = versions.last {
            pairs.append((first, last))
        }
        for (old, new) in pairs {
            guard (try? InferredMapping(from: old.model, to: new.model)) != nil else {
                print("\(old.name) to \(new.name) takes a mapping model")
                continue
            }
            for seed in Seed.several(3) {
                print("\(old.name) to \(new.name), seed \(seed)")
                var generator = seed.generator()
                try withTemporaryFolder { path in
                    let harness = MigrationHarness(path: path, source: old.model, destination: new.model)
                    try RandomObjects.fill(harness, &generator)
                    let isMigrated = try harness.compare("\(old.name) to \(new.name), seed \(seed)")
                    print(isMigrated ? "migrated" : "refused")
                }
            }
        }
    }
}
