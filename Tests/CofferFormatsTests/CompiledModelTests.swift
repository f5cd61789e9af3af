import CofferFormats
import CofferModel
import Foundation
import TestSupport
import Testing

/// Models as Xcode's compiler leaves them.
struct CompiledModelTests {
    private func model(_ name: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    name, attributes: [AttributeDefinition("title", .string, isOptional: true)],
                    relationships: [
                        RelationshipDefinition("pages", to: "Page", inverse: "book", isToMany: true)
                    ]),
                EntityDefinition(
                    "Page", relationships: [RelationshipDefinition("book", to: name, inverse: "pages")]),
            ], versionIdentifiers: ["2"])
    }

    /// What a compiler would write: what stores keep, before it is deflated.
    private func compiled(_ model: ManagedObjectModel) throws -> [UInt8] {
        try RawDeflate.decompress(ModelCache.content(of: model), limit: 1 << 20)
    }

    /// Lends a `.momd` of two versions, of which `current` is named as current if it is not empty.
    private func withBundle(current: String, _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            let bundle = path + "/Library.momd"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
            for name in ["Library", "Library 2"] {
                try Data(compiled(model(name == "Library" ? "Book" : "Volume"))).write(
                    to: URL(filePath: "\(bundle)/\(name).mom"))
            }
            let information =
                current.isEmpty ? [:] : ["NSManagedObjectModel_CurrentVersionName": current]
            try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0)
                .write(to: URL(filePath: bundle + "/VersionInfo.plist"))
            try Data("momv2$".utf8).write(to: URL(filePath: bundle + "/Library 2.omo"))
            try body(bundle)
        }
    }

    @Test func `a compiled version is read as the model that it was`() throws {
        let model = try model("Book")
        let read = try ModelFile.read(compiled(model), file: "Library.mom")
        #expect(VersionHashes(of: read).entities == VersionHashes(of: model).entities)
        #expect(read.versionIdentifiers == ["2"])
        #expect(read.entity(named: "Book")?.relationships.map(\.name) == ["pages"])
    }

    @Test func `a compiled bundle has versions, one of which is current`() throws {
        try withBundle(current: "Library 2") { bundle in
            #expect(try ModelFile.read(path: bundle).entities.map(\.name) == ["Page", "Volume"])
            let versions = try ModelFile.versions(path: bundle)
            #expect(versions.map(\.name) == ["Library", "Library 2"])
            #expect(versions.map(\.isCurrent) == [false, true])
            #expect(try ModelFile.warnings(path: bundle).isEmpty)
            let source = try ModelFile.source(path: bundle + "/Library.mom")
            #expect(
                source.fileName == "Library.mom" && source.model.entities.map(\.name) == ["Book", "Page"])
        }
    }

    @Test(arguments: ["", "Library 3"])
    func `a compiled bundle without a current version is not guessed at`(current: String) throws {
        try withBundle(current: current) { bundle in
            let error = #expect(throws: FormatError.self) { try ModelFile.read(path: bundle) }
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `an optimised form says which file to take`() throws {
        try withBundle(current: "") { bundle in
            let error = #expect(throws: FormatError.self) {
                try ModelFile.read(path: bundle + "/Library 2.omo")
            }
            #expect(error?.description.contains(".mom file") == true)
        }
    }

    @Test func `a compiled version that is cut short anywhere is an error`() throws {
        let bytes = try compiled(model("Book"))
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: FormatError.self, "\(count) bytes") {
                _ = try ModelFile.read(Array(bytes.prefix(count)), file: "Library.mom")
            }
        }
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `a bundle of Xcode's compiler has the hashes that it says`() throws {
        let bundle = try FixtureFolder.required() + "/compiled/SampleModel.momd"
        let file = bundle + "/VersionInfo.plist"
        let information = try BinaryPropertyListReader.read(Array(Data(contentsOf: URL(filePath: file))))
        let hashes = try #require(
            information.dictionary?["NSManagedObjectModel_VersionHashes"]?.dictionary)
        let versions = try ModelFile.versions(path: bundle)
        #expect(versions.count == hashes.count && versions.count(where: \.isCurrent) == 1)
        for version in versions {
            #expect(
                VersionHashes(of: version.model).entities
                    == (hashes[version.name]?.dictionary ?? [:]).compactMapValues(\.data), "\(version.name)")
        }
    }
}
