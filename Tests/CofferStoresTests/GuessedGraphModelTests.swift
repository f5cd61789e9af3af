import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import Foundation
import TestSupport
import Testing

/// Stores whose file is read as a whole and keeps no model, read by one that their objects tell.
@Suite struct GuessedGraphModelTests {
    private static func database(_ objects: String) -> String {
        """
        <?xml version="1.0"?>
        <database><databaseInfo><version>134481920</version><UUID>343C8D7F-A000-42C4-8463-43FA1E5EF3FB</UUID>
        <nextObjectID>200</nextObjectID><metadata></metadata></databaseInfo>
        \(objects)
        </database>
        """
    }

    /// Dogs and cats of a person, who likes some toys that others like, too.
    private static let pets = database(
        """
        <object type="PERSON" id="z101"><attribute name="name" type="string">Ann</attribute>
        <attribute name="born" type="date">12.5</attribute>
        <relationship name="pets" type="0/0" destination="ANIMAL" idrefs="z103 z104"></relationship>
        <relationship name="likes" type="0/0" destination="TOY" idrefs="z105 z106"></relationship>
        <relationship name="boss" type="0/1" destination="PERSON"></relationship></object>
        <object type="PERSON" id="z102"><attribute name="name" type="string">Bob</attribute>
        <relationship name="pets" type="0/0" destination="ANIMAL"></relationship>
        <relationship name="likes" type="0/0" destination="TOY" idrefs="z105"></relationship>
        <relationship name="boss" type="0/1" destination="PERSON" idrefs="z101"></relationship></object>
        <object type="DOG" id="z103"><attribute name="size" type="int16">3</attribute>
        <relationship name="owner" type="1/1" destination="PERSON" idrefs="z101"></relationship></object>
        <object type="CAT" id="z104"><attribute name="isBlack" type="bool">1</attribute>
        <relationship name="owner" type="1/1" destination="PERSON" idrefs="z101"></relationship></object>
        <object type="TOY" id="z105"></object><object type="TOY" id="z106"></object>
        """)

    private func withFile(_ text: String, _ body: (String, Folder) throws -> Void) throws {
        try withTemporaryFolder { path in
            try Data(text.utf8).write(to: URL(filePath: path + "/Pets.xml"))
            let before = try FolderSnapshot(of: path).files
            try body(path, Folder(at: path))
            #expect(try FolderSnapshot(of: path).files == before)
        }
    }

    private func lines(of dump: StoreDump) throws -> [[String: Any]] {
        var bytes: [UInt8] = []
        while try dump.write(to: &bytes) {}
        return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `an XML file without a model is dumped by what its objects tell`() throws {
        try withFile(Self.pets) { _, folder in
            let dump = try StoreDump("Pets.xml", in: folder, format: .json)
            #expect(dump.isModelGuessed)
            let objects = try lines(of: dump)
            #expect(
                objects.map { $0["entity"] as? String } == ["CAT", "DOG", "PERSON", "PERSON", "TOY", "TOY"])
            let ann = try #require(objects[2]["values"] as? [String: Any])
            #expect(ann["name"] as? String == "Ann")
            #expect((ann["pets"] as? [String]).map(Set.init) == ["CAT/p104", "DOG/p103"])
            #expect((ann["likes"] as? [String]).map(Set.init) == ["TOY/p105", "TOY/p106"])
            let bob = try #require(objects[3]["values"] as? [String: Any])
            #expect(bob["boss"] as? String == "PERSON/p101" && bob["likes"] as? [String] == ["TOY/p105"])
            let dog = try #require(objects[1]["values"] as? [String: Any])
            #expect(dog["owner"] as? String == "PERSON/p101" && dog["size"] as? Int == 3)
        }
    }

    @Test func `inverses and common parents are found`() throws {
        try withFile(Self.pets) { _, folder in
            let found = try StoreInspector.inspect("Pets.xml", in: folder)
            #expect(found.modelSource == .guessed && found.health.problems == [])
            guard case .refused = found.health.writing else {
                Issue.record("\(found.health.writing)")
                return
            }
            let model = try #require(found.model)
            #expect(model.entity(named: "DOG")?.definition.superentity == "ANIMAL")
            let pets = try #require(model.entity(named: "PERSON")?.relationships.first { $0.name == "pets" })
            #expect(pets.destination == "ANIMAL" && pets.inverse == "owner" && pets.isToMany)
            let boss = try #require(model.entity(named: "PERSON")?.relationships.first { $0.name == "boss" })
            #expect(boss.inverse == nil && !boss.isToMany)
        }
    }

    @Test func `it is not written, and objects that contradict each other tell no model`() throws {
        try withFile(Self.pets) { _, folder in
            var options = StoreOptions()
            (options.mustExist, options.foreignFiles) = (true, .adopted)
            let error = #expect(throws: StoreError.self) {
                try StoreFile.open(in: folder, fileName: "Pets.xml", model: nil, options: options)
            }
            #expect(error?.reason == "unknown_model")
        }
        let odd = Self.pets.replacing(
            "<object type=\"TOY\" id=\"z105\">",
            with: "<object type=\"PERSON\" id=\"z105\"><attribute name=\"name\" type=\"int16\">1</attribute>")
        try withFile(odd) { _, folder in
            let error = #expect(throws: StoreError.self) {
                try StoreDump("Pets.xml", in: folder, format: .json)
            }
            #expect(error?.reason == "unknown_model", "\(error as Any)")
        }
    }
}

/// What Core Data wrote as XML.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct GuessedGraphFixtureTests {
    @Test(arguments: [
        "cocoadev-vehicles/1-original.xml", "cocoadev-vehicles/2-two-pictures.xml",
        "cocoadev-vehicles/3-after-remove.xml", "mslice/template.mslice", "mslice/bare_template.mslice",
        "mslice/Al_from_template.mslice", "mslice/Al_roundtrip.mslice", "mslice/CeO2_ortho_rotated.mslice",
    ])
    func `every object of an XML store of Core Data's is dumped without a model`(fixture: String) throws {
        let url = URL(filePath: try FixtureFolder.required() + "/xml/" + fixture)
        let text = try String(decoding: Data(contentsOf: url), as: UTF8.self)
        let dump = try StoreDump(
            url.lastPathComponent, in: Folder(at: url.deletingLastPathComponent().path), format: .json)
        #expect(dump.isModelGuessed)
        var bytes: [UInt8] = []
        while try dump.write(to: &bytes) {}
        let lines = bytes.split(separator: UInt8(ascii: "\n")).count
        #expect(lines == text.components(separatedBy: "<object type=").count - 1)
    }
}
