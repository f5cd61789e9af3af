import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// Sound files of other programs, which are not to be called damaged.
@Suite struct SoundFileTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note", attributes: [AttributeDefinition("title", .string, isOptional: true)],
                relationships: [RelationshipDefinition("next", to: "Note")])
        ])
    }

    /// Lends a folder with a store as Core Data would have left it, whose cached model has relationships that
    /// `change` was made to, and whose metadata has other hashes, if any are given.
    private func withForeignStore(
        hashes: [String: [UInt8]]? = nil, _ change: (inout [String: PropertyListValue]) -> Void,
        _ body: (String) throws -> Void
    ) throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model()) }
            let connection = try SQLiteConnection(path: path + "/Notes", mode: .readWrite)
            var archive = try #require(
                try BinaryPropertyListReader.read(
                    RawDeflate.decompress(ModelCache.content(of: model()), limit: 1 << 20)
                ).dictionary)
            var objects = try #require(archive["$objects"]?.array)
            for place in objects.indices {
                guard var values = objects[place].dictionary, values["NSDeleteRule"] != nil else { continue }
                change(&values)
                objects[place] = .dictionary(values)
            }
            archive["$objects"] = .array(objects)
            let update = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?1")
            try update.bind(
                RawDeflate.compress(BinaryPropertyListWriter.bytes(of: .dictionary(archive))), at: 1)
            try update.run()
            if let hashes {
                let query = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
                try #require(try query.step())
                var metadata = try StoreMetadata(propertyList: query.blob(0))
                query.reset()
                metadata.versionHashes = hashes
                let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
                try update.bind(metadata.propertyList(), at: 1)
                try update.run()
            }
            for table in ["STATE", "MODEL", "REQUEST", "CONSUMER", "DECIMAL", "RESERVED", "TRANSACTION"] {
                try connection.execute("DROP TABLE COFFER_\(table)")
            }
            try body(path)
        }
    }

    private func open(
        _ path: String, _ model: ManagedObjectModel? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> StoreFile {
        var options = StoreOptions()
        change(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Notes", model: model.map { try StoreModel($0) }, options: options
        )
    }

    /// What hashes have that enter the order of `Note.next`, as it is entered for to-many relationships.
    private var markedHashes: [String: [UInt8]] {
        let name = SHA256.digest(of: Array("next".utf8) + [1, 0])
        let next = SHA256.digest(of: name + Array("Note".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 1, 0])
        let title = SHA256.digest(
            of: SHA256.digest(of: Array("title".utf8) + [1, 0]) + [0xBC, 0x02, 0, 0])
        return ["Note": SHA256.digest(of: Array("Note".utf8) + [0] + next + title)]
    }

    @Test(arguments: [false, true])
    func `a cached model with the order of a to-one relationship is read and adopted`(isHashed: Bool) throws {
        let hashes = isHashed ? markedHashes : nil
        try withForeignStore(hashes: hashes) { values in
            values["NSIsOrdered"] = .boolean(true)
        } _: { path in
            do {
                let file = try open(path) { $0.isReadOnly = true }
                #expect(try !file.isModelGuessed && file.model.model == model())
            }
            do { _ = try open(path) { $0.foreignFiles = .adopted } }
            let file = try open(path, model())
            if let hashes { #expect(file.versionHashes == hashes) }
        }
    }

    @Test func `a cached model that no rule of ours lets be is passed over, and the file is read`() throws {
        try withForeignStore { values in
            (values["NSMinCount"], values["NSMaxCount"]) = (.integer(3), .integer(2))
        } _: { path in
            do {
                let file = try open(path) { $0.isReadOnly = true }
                #expect(file.isModelGuessed)
            }
            let error = #expect(throws: StoreError.self) { try open(path) { $0.foreignFiles = .adopted } }
            #expect(error?.reason == "unknown_model", "\(error as Any)")
            _ = try open(path, model()) { $0.foreignFiles = .adopted }
        }
    }

    @Test(arguments: [
        "<object type=\"CAR\" id=\"z1\"></object>",
        "<object type=\"NOTE\" id=\"z1\"><attribute name=\"colour\" type=\"string\">a</attribute></object>",
        "<object type=\"NOTE\" id=\"z1\"><attribute name=\"title\" type=\"int16\">1</attribute></object>",
        "<object type=\"NOTE\" id=\"z1\"><relationship name=\"last\" type=\"0/1\" destination=\"NOTE\"/></object>",
    ])
    func `an XML file without hashes that another model made is said to be of another model`(object: String)
        throws
    {
        let text =
            "<?xml version=\"1.0\"?><database><databaseInfo><version>134481920</version>"
            + "<metadata></metadata></databaseInfo>\(object)</database>"
        try withTemporaryFolder { path in
            try Data(text.utf8).write(to: URL(filePath: path + "/Notes"))
            let error = #expect(throws: StoreError.self) {
                try open(path, model()) { $0.isReadOnly = true }
            }
            #expect(error?.reason == "incompatible_model", "\(error as Any)")
            _ = try open(path) { $0.isReadOnly = true }
        }
    }
}
