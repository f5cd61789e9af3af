import CofferFormats
import CofferModel
import Foundation
import TestSupport
import Testing

/// Mapping models of Xcode's, and compiled ones.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct MappingModelFileTests {
    private func read(_ path: String) throws -> MappingModel {
        try MappingModelFile.read(path: FixtureFolder.required() + "/" + path)
    }

    @Test func `a mapping model has its entities in order, with predicates and classes`() throws {
        let notes = try read("models/kodeco/UnCloudNotes/UnCloudNotesMappingModel_v2_to_v3.xcmappingmodel")
        #expect(Set(notes.entities.map(\.name)) == ["NoteToNote", "NoteToAttachment"])
        let attachment = try #require(notes.entities.first { $0.destination == "Attachment" })
        #expect(attachment.source == "Note" && attachment.predicate == "image != nil")
        #expect(attachment.relationships.map(\.value) == [.mapped(by: "NoteToNote", objects: "$source")])
        let user = try read("stores/bookmigration/Model2_to_Model3.xcmappingmodel")
        #expect(user.entities.contains { $0.policyClassName == "MHWBookToBookPolicy" })
        let file = try MappingModelFile.read(
            path: FixtureFolder.required()
                + "/stores/bookmigration/Model2_to_Model3.xcmappingmodel/xcmapping.xml")
        #expect(file == user)
    }

    @Test func `a compiled mapping model says what its source does`() throws {
        let compiled = try read("compiled/V2toV3.cdm")
        let source = try read("stores/coredataplus/MappingModels/V2toV3.xcmappingmodel")
        #expect(Set(compiled.entities.map(\.name)) == Set(source.entities.map(\.name)))
        let car = try #require(compiled.entities.first { $0.name == "CarToCar" })
        #expect(car.kind == .custom && car.sourceHash?.count == 32 && car.destinationHash?.count == 32)
        #expect(car.policyClassName == "REPLACE_AT_RUNTIME.V2to3MakerPolicy" && car.predicate == nil)
        #expect(car.attributes.contains(.init("model", .expression("$source.model"))))
        let owner = MappingModel.Property("owner", .mapped(by: "PersonToPerson", objects: "$source.owner"))
        #expect(car.relationships.contains(owner) && car.relationships.contains(.init("createdBy", .none)))
        let person = try #require(compiled.entities.first { $0.name == "PersonToPerson" })
        #expect(
            person.relationships.contains(
                .init("cars", .mappedRelationship("cars", objects: "$source.cars"))))
        let maker = try #require(compiled.entities.first { $0.name == "Maker" })
        #expect(maker.source == nil && maker.destination == "Maker")
        for entity in source.entities {
            let other = compiled.entities.first { $0.name == entity.name }
            #expect(other?.source == entity.source && other?.destination == entity.destination)
            #expect(other?.policyClassName == entity.policyClassName)
            #expect(other?.attributes.map(\.name).sorted() == entity.attributes.map(\.name))
        }
    }

    @Test func `every mapping model of the fixtures is read`() throws {
        let root = try FixtureFolder.required()
        let all = try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            $0.hasSuffix(".xcmappingmodel")
        }
        #expect(all.count >= 7)
        for path in all {
            let model = try read(path)
            #expect(try MappingModelFile.warnings(path: "\(root)/\(path)").isEmpty)
            #expect(!model.entities.isEmpty && model.entities.allSatisfy { !$0.name.isEmpty }, "\(path)")
        }
    }

    @Test(arguments: [
        (
            "models/kodeco/UnCloudNotes/UnCloudNotesMappingModel_v2_to_v3.xcmappingmodel",
            "models/kodeco/UnCloudNotes/UnCloudNotesDataModel.xcdatamodeld",
            "UnCloudNotesDataModel v2", "UnCloudNotesDataModel v3"
        ),
        (
            "models/kodeco/UnCloudNotes/UnCloudNotesMappingModel_v3_to_v4.xcmappingmodel",
            "models/kodeco/UnCloudNotes/UnCloudNotesDataModel.xcdatamodeld",
            "UnCloudNotesDataModel v3", "UnCloudNotesDataModel v4"
        ),
        (
            "models/loopkit/Modelv1v4.xcmappingmodel", "models/loopkit/Model.xcdatamodeld", "Model", "Modelv4"
        ),
        (
            "stores/bookmigration/Model1_to_Model2.xcmappingmodel", "stores/bookmigration/Model.xcdatamodeld",
            "Model1", "Model2"
        ),
        (
            "stores/bookmigration/Model2_to_Model3.xcmappingmodel", "stores/bookmigration/Model.xcdatamodeld",
            "Model2", "Model3"
        ),
        (
            "stores/bookmigration/Model2_to_Model3_User.xcmappingmodel",
            "stores/bookmigration/Model.xcdatamodeld", "Model2", "Model3"
        ),
        (
            "stores/coredataplus/MappingModels/V2toV3.xcmappingmodel",
            "stores/coredataplus/SampleModel.xcdatamodeld", "SampleModel2", "SampleModel3"
        ),
    ])
    func `a mapping model fits the models that it was made for, and not the other way round`(
        file: String, models: String, source: String, destination: String
    ) throws {
        let folder = try FixtureFolder.required() + "/" + models
        let from = try ModelFile.read(path: "\(folder)/\(source).xcdatamodel")
        let to = try ModelFile.read(path: "\(folder)/\(destination).xcdatamodel")
        let mapping = try read(file)
        #expect(mapping.problems(from: from, to: to).map(\.description) == [])
        #expect(mapping.problems(from: to, to: from) != [])
    }

    @Test func `bytes of another kind are refused`() throws {
        for bytes in [[], Array("<database/>".utf8), Array("bplist00".utf8), Array("x".utf8)] {
            #expect(throws: FormatError.self) { try MappingModelFile.read(bytes, file: "x") }
        }
        let mom = try FixtureFolder.required() + "/compiled/SampleModel.momd/SampleModel.mom"
        #expect(throws: FormatError.self) { try MappingModelFile.read(path: mom) }
    }

    @Test(arguments: Seed.several(2))
    func `a mapping model whose bytes were changed is refused or read, and never traps`(seed: Seed) throws {
        var random = seed.generator()
        for path in [
            "compiled/V2toV3.cdm", "stores/bookmigration/Model2_to_Model3.xcmappingmodel/xcmapping.xml",
        ] {
            let bytes = try [UInt8](
                Data(contentsOf: URL(fileURLWithPath: FixtureFolder.required() + "/" + path)))
            for _ in 0..<60 {
                var changed = bytes
                for _ in 0..<4 {
                    changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                _ = try? MappingModelFile.read(changed, file: path)
            }
        }
    }
}
