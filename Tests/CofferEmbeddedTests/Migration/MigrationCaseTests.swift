import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Known cases of migration, over a store that Core Data made; it is not part of the repository.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct MigrationCaseTests {
    private static func model(_ name: String) throws -> ManagedObjectModel {
        try ModelFile.read(
            path: FixtureFolder.required()
                + "/stores/coredataplus/SampleModel.xcdatamodeld/\(name).xcdatamodel")
    }

    private func context(_ path: String, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
        ManagedObjectContext(
            coordinator: try EmbeddedCoordinator.open(
                path: path, model: model, mustExist: true, application: ""))
    }

    /// Makes a maker of each name that cars have, and lets owners be previous ones.
    private final class MakerPolicy: EntityMigrationPolicy {
        private static let makers = "makers"

        func createDestinationInstances(
            for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            let car = try manager.createDestinationInstance(for: source, in: mapping)
            guard case .string(let name) = source["maker"] else { return }
            var makers = manager.userInfo[Self.makers] as? [String: ManagedObject] ?? [:]
            let maker = try makers[name] ?? manager.destinationContext.insert(entityNamed: "Maker")
            maker["name"] = .string(name)
            makers[name] = maker
            manager.userInfo[Self.makers] = makers
            try car.setObjects([maker], forKey: "createdBy")
        }

        func createRelationships(
            for destination: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            try manager.createMappedRelationships(for: destination, in: mapping)
            let owners = destination.objects(forKey: "owner")
            try destination.setObjects(owners, forKey: "previousOwners")
        }
    }

    @Test func `G6, G7: cars of a first version reach the third, with makers and previous owners`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/SampleModel.sqlite"
            try FileManager.default.copyItem(
                atPath: FixtureFolder.required() + "/stores/coredataplus/SampleModel_V1.sqlite", toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let (second, third) = (try Self.model("SampleModel2"), try Self.model("SampleModel3"))
            try PersistentContainer.migrateEmbeddedStore(atPath: path, to: second, adopts: true)
            do {
                let context = try context(path, second)
                let luxury = try context.all("LuxuryCar")
                #expect(luxury.count == 5 && luxury.allSatisfy { !$0["isLimitedEdition"].isNull })
            }
            var mapping = try MappingModelFile.read(
                path: FixtureFolder.required()
                    + "/stores/coredataplus/MappingModels/V2toV3.xcmappingmodel")
            // Its class finds the makers among the cars.
            mapping.entities.removeAll { $0.destination == "Maker" }
            let policy = "REPLACE_AT_RUNTIME.V2to3MakerPolicy"
            try PersistentContainer.migrateEmbeddedStore(
                atPath: path, to: third, by: mapping, policies: [policy: { MakerPolicy() }])
            let context = try context(path, third)
            let cars = try context.all("Car")
            #expect(cars.count == 125)
            #expect(try context.all("Maker").count == 10)
            #expect(cars.allSatisfy { $0.objects(forKey: "createdBy").count == 1 })
            let owned = cars.filter { !$0.objects(forKey: "owner").isEmpty }
            #expect(owned.count == 118)
            #expect(
                owned.allSatisfy { car in
                    let owner = car.objects(forKey: "owner")
                    return car.objects(forKey: "previousOwners") == owner
                        && owner.allSatisfy { $0.objects(forKey: "previousCars").contains { $0 === car } }
                })
        }
    }
}
