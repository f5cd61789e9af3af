import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores that follow the mapping models of others, which are not part of the repository.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct FixtureMappingTests {
    /// A mapping model, and the versions that it leads from and to.
    struct Case: Sendable, CustomStringConvertible {
        let file: String
        let models: String
        let source: String
        let destination: String
        var description: String { file }
    }

    private static let notes = "models/kodeco/UnCloudNotes/UnCloudNotes"
    private static let books = "stores/bookmigration/Model"
    static let cases: [Case] = [
        .init(
            file: notes + "MappingModel_v2_to_v3.xcmappingmodel", models: notes + "DataModel.xcdatamodeld",
            source: "UnCloudNotesDataModel v2", destination: "UnCloudNotesDataModel v3"),
        .init(
            file: notes + "MappingModel_v3_to_v4.xcmappingmodel", models: notes + "DataModel.xcdatamodeld",
            source: "UnCloudNotesDataModel v3", destination: "UnCloudNotesDataModel v4"),
        .init(
            file: "models/loopkit/Modelv1v4.xcmappingmodel", models: "models/loopkit/Model.xcdatamodeld",
            source: "Model", destination: "Modelv4"),
        .init(
            file: books + "1_to_Model2.xcmappingmodel", models: books + ".xcdatamodeld", source: "Model1",
            destination: "Model2"),
        .init(
            file: books + "2_to_Model3.xcmappingmodel", models: books + ".xcdatamodeld", source: "Model2",
            destination: "Model3"),
        .init(
            file: books + "2_to_Model3_User.xcmappingmodel", models: books + ".xcdatamodeld",
            source: "Model2", destination: "Model3"),
        .init(
            file: "stores/coredataplus/MappingModels/V2toV3.xcmappingmodel",
            models: "stores/coredataplus/SampleModel.xcdatamodeld", source: "SampleModel2",
            destination: "SampleModel3"),
        .init(
            file: "compiled/V2toV3.cdm", models: "stores/coredataplus/SampleModel.xcdatamodeld",
            source: "SampleModel2", destination: "SampleModel3"),
    ]

    /// Does what the mapping model says, in the place of the application's own.
    private final class UsualPolicy: EntityMigrationPolicy {}

    @Test(arguments: cases)
    func `a store of the first version becomes what the mapping model says`(_ one: Case) throws {
        let folder = try FixtureFolder.required() + "/" + one.models
        let old = try Self.relaxed(ModelFile.read(path: "\(folder)/\(one.source).xcdatamodel"))
        let new = try Self.relaxed(ModelFile.read(path: "\(folder)/\(one.destination).xcdatamodel"))
        var mapping = try MappingModelFile.read(path: FixtureFolder.required() + "/" + one.file)
        for place in mapping.entities.indices {
            // The models are without some rules.
            (mapping.entities[place].sourceHash, mapping.entities[place].destinationHash) = (nil, nil)
        }
        let names = mapping.entities.compactMap(\.policyClassName)
        let policies = Dictionary(
            names.map { ($0, { UsualPolicy() as any EntityMigrationPolicy }) }
        ) { first, _ in first }
        try withTemporaryFolder { folder in
            let path = folder + "/Store.sqlite"
            let expected = try Expectation(filling: path, old, new, mapping)
            try PersistentContainer.migrateEmbeddedStore(
                atPath: path, to: new, by: mapping, policies: policies)
            let context = ManagedObjectContext(
                coordinator: try EmbeddedCoordinator.open(
                    path: path, model: new, mustExist: true, application: ""))
            #expect(expected.lines.count >= 2, "\(expected.lines.count)")
            let found = try expected.found(in: context)
            #expect(found.count == expected.lines.count)
            for (place, line) in expected.lines where found[place] != line {
                Issue.record("\(place): \(found[place] ?? ["nothing"]) and not \(line)")
            }
        }
    }

    /// The model without rules that objects made at random would break.
    private static func relaxed(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: model.entities.map { entity in
                var definition = entity.definition
                definition.uniquenessConstraints = []
                for place in definition.attributes.indices {
                    definition.attributes[place].validation = AttributeValidation()
                    definition.attributes[place].derivationExpression = nil
                    definition.attributes[place].isOptional = true
                }
                for place in definition.relationships.indices {
                    definition.relationships[place].isOptional = true
                    definition.relationships[place].minimumCount = 0
                    if definition.relationships[place].isToMany {
                        definition.relationships[place].maximumCount = 0
                    }
                }
                return definition
            })
    }
}

/// What the objects of a store are to become, found by reading them one by one.
private struct Expectation {
    /// Sorted values, or numbers of related objects, by entity and property.
    private(set) var lines: [String: [String]] = [:]

    /// Makes a store with some objects of each entity, each with values of its own.
    init(
        filling path: String, _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ mapping: MappingModel
    ) throws {
        let context = ManagedObjectContext(
            coordinator: try EmbeddedCoordinator.open(
                path: path, model: old, mustExist: false, application: ""))
        context.validatesOnSave = false
        try Self.fill(context)
        try context.save()
        for entity in mapping.entities {
            guard let source = entity.source.flatMap({ old.entity(named: $0) }),
                let made = entity.destination.flatMap({ new.entity(named: $0) }),
                mapping.entities.filter({ $0.destination == made.name }).count == 1
            else { continue }
            let objects = try Self.objects(source.name, entity.predicate, in: context)
            lines[made.name] = ["\(objects.count)"]
            for attribute in entity.attributes {
                guard let key = Self.key(attribute.value, attribute.name),
                    let type = source.property(named: key)?.attribute?.type,
                    made.property(named: attribute.name)?.attribute?.type == type
                else { continue }
                lines["\(made.name).\(attribute.name)"] = objects.map { "\($0[key])" }.sorted()
            }
            for property in entity.relationships {
                guard case .mapped(let name?, let text) = property.value, text.hasPrefix("$source."),
                    let other = mapping.entities.first(where: { $0.name == name }), other.predicate == nil,
                    let relationship = source.property(named: String(text.dropFirst(8)))?.relationship,
                    made.property(named: property.name)?.relationship?.isToMany == relationship.isToMany,
                    old.destination(of: relationship).name == other.source
                else { continue }
                lines["\(made.name).\(property.name)"] =
                    objects.map { "\($0.objects(forKey: relationship.name).count)" }.sorted()
            }
        }
    }

    /// What there is of that among the objects that were made.
    func found(in context: ManagedObjectContext) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for place in lines.keys {
            let parts = place.split(separator: ".").map { String($0) }
            let objects = try Self.objects(parts[0], nil, in: context)
            guard parts.count == 2 else {
                found[place] = ["\(objects.count)"]
                continue
            }
            let isAttribute =
                context.model.entity(named: parts[0])?.property(named: parts[1])?.attribute != nil
            found[place] = objects.map {
                isAttribute ? "\($0[parts[1]])" : "\($0.objects(forKey: parts[1]).count)"
            }.sorted()
        }
        return found
    }

    private static func key(_ value: MappingModel.Value, _ name: String) -> String? {
        switch value {
        case .automatic: name
        case .expression(let text) where text.hasPrefix("$source."): String(text.dropFirst(8))
        default: nil
        }
    }

    private static func objects(
        _ entity: String, _ predicate: String?, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(
            entityName: entity, try predicate.map { try QueryPredicate(format: $0) })
        request.includesSubentities = false
        return try context.fetch(request)
    }

    private static func fill(_ context: ManagedObjectContext) throws {
        var made: [(entity: EntityDescription, objects: [ManagedObject])] = []
        for entity in context.model.entities where !entity.isAbstract {
            let objects = try (0..<5).map { number in
                let object = try context.insert(entityNamed: entity.name)
                for property in entity.properties where !property.isTransient {
                    guard let type = property.attribute?.type, (number + property.index) % 4 != 0 else {
                        continue
                    }
                    let number = Int64(10 * entity.index + number)
                    if let value = Self.value(of: type, number) { object[property.name] = value }
                }
                return object
            }
            made.append((entity, objects))
        }
        for (entity, objects) in made {
            for relationship in entity.properties.compactMap(\.relationship) {
                let end = context.model.destination(of: relationship)
                let others = made.filter { $0.entity.isKind(of: end) }.flatMap(\.objects)
                if others.isEmpty { continue }
                for (place, object) in objects.enumerated() where place % 2 == 0 {
                    try object.setObjects([others[place % others.count]], forKey: relationship.name)
                }
            }
        }
    }

    private static func value(of type: AttributeType, _ number: Int64) -> AttributeValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(number)
        case .double: .double(Double(number) / 2)
        case .string: .string("text \(number)")
        case .boolean: .boolean(number % 2 == 0)
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case .binary: .binary([UInt8(number % 250)])
        default: nil
        }
    }
}
