import CofferFormats
import CofferGeneration
import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Swift made of a model` {
    @Test func `generated Swift has no request that follows keys from what it is given`() throws {
        let model = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Note"><attribute name="title" optional="YES" attributeType="String"/></entity>
            <fetchRequest name="alike" entity="Note" predicateString="title == $note.title"/>
            </model>
            """
        #expect {
            try SourceGenerator(try source("notes", model)).files()
        } throws: { error in
            if case GenerationError.invalidRequest("alike", "Note", _) = error { true } else { false }
        }
    }

    @Test func `generated Swift reads as people write it`() throws {
        let generator = try SourceGenerator(try source("notes", notes))
        let files = try generator.files()
        #expect(files.map(\.name) == ["NotesModel+Coffer.swift", "Folder+Coffer.swift", "Note+Coffer.swift"])
        #expect(files.map(\.entity) == [nil, "Folder", "Note"])
        #expect(
            files[2].text == """
                // Made of notes.xcdatamodel by 'coffer model generate', which writes over all changes.
                // swift-format-ignore-file

                import Coffer
                import FoundationEssentials

                /// An object of the entity `Note`.
                final class Note: ManagedObject, ModeledObject {
                    /// The names and types of the entity's properties.
                    struct Properties: Sendable {
                        let created = Attribute<Date?>("created")
                        let folder = ToOne<Folder>("folder")
                        let stars = Attribute<Int16>("stars")
                        let title = Attribute<String>("title")
                    }

                    /// The names and types of the entity's properties.
                    static let properties = Properties()
                }

                """)
        #expect(
            files[0].text == """
                // Made of notes.xcdatamodel by 'coffer model generate', which writes over all changes.
                // swift-format-ignore-file

                import Coffer

                /// The model of `notes.xcdatamodel`.
                enum NotesModel {
                    /// Entities, and the classes of their objects.
                    ///
                    /// The model fits: it was checked when this was written.
                    static let model: ManagedObjectModel = {
                        do throws(ModelError) {
                            let model = try ManagedObjectModel {
                                Entity("Folder") {
                                    Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
                                }
                                Entity("Note") {
                                    Field("title", .string)
                                    Field("stars", .integer16).optional().default(3)
                                    Field("created", .date).optional()
                                    One("folder", "Folder", inverse: "notes").required()
                                }
                            }
                            return model.withClasses(["Folder": Folder.self, "Note": Note.self])
                                .withKeyPaths { keyPaths(of: $0) }
                        } catch {
                            preconditionFailure("\\(error)")
                        }
                    }()

                    /// The names in the model of a class's properties, for predicates of Foundation.
                    static func keyPaths(of type: ManagedObject.Type) -> [AnyKeyPath: String] {
                        var names: [AnyKeyPath: String] = [:]
                        if type == Folder.self {
                            names[\\Folder.notes] = "notes"
                        }
                        if type == Note.self {
                            names[\\Note.created] = "created"
                            names[\\Note.folder] = "folder"
                            names[\\Note.stars] = "stars"
                            names[\\Note.title] = "title"
                        }
                        return names
                    }
                }

                """)
    }

    /// With COFFER_WRITE_GENERATED=1 the file is written as it should be.
    @Test func `generated Swift of a model with a bit of everything is what the tests have`() throws {
        var options = GenerationOptions()
        options.isOneFile = true
        let generator = try SourceGenerator(try ModelFile.source(path: library), options: options)
        let file = try #require(try generator.files().first)
        let folder = try Folder(at: "\(testFolder)/Expected")
        if CurrentProcess.environment["COFFER_WRITE_GENERATED"] == "1" {
            return try folder.replace("Library.txt", with: Array(file.text.utf8))
        }
        let expected = String(decoding: try folder.read("Library.txt", limit: 1 << 20), as: UTF8.self)
        #expect(file.name == "Library+Coffer.swift")
        let (found, wanted) = (file.text.split(separator: "\n"), expected.split(separator: "\n"))
        for (line, pair) in zip(found, wanted).enumerated() where pair.0 != pair.1 {
            Issue.record("line \(line + 1) is \(pair.0)\nand should be \(pair.1); COFFER_WRITE_GENERATED=1")
            break
        }
        #expect(file.text == expected)
    }

    @Test(arguments: ["Field", "Entity", "ManagedObjectModel", "String", "Coffer"])
    func `no Swift is made where the model would be called as what it uses`(name: String) throws {
        var options = GenerationOptions()
        options.modelName = name
        let error = #expect(throws: GenerationError.self) {
            try SourceGenerator(try source("notes", notes), options: options)
        }
        #expect(error?.description.contains("give another with --model-name") == true, "\(error as Any)")
    }

    @Test(arguments: ["Note", "Folder"])
    func `no Swift is made where a class would be for more people than one that it names`(entity: String)
        throws
    {
        func shown(_ entities: [String]) -> String {
            entities.reduce(notes) { text, entity in
                let head = #"<entity name="\#(entity)" syncable="YES">"#
                return text.replacing(
                    head, with: head + #"<userInfo><entry key="coffer.access" value="public"/></userInfo>"#)
            }
        }
        let other = entity == "Note" ? "Folder" : "Note"
        _ = try SourceGenerator(try source("notes", shown([entity, other])))
        let expected = GenerationError.hiddenClass(
            other, access: "internal", entity: entity, entityAccess: "public")
        #expect(throws: expected) { try SourceGenerator(try source("notes", shown([entity]))) }
    }

    @Test func `generated Swift is for everybody where it is asked to be`() throws {
        var options = GenerationOptions()
        options.access = .public
        options.isOneFile = true
        let text = try SourceGenerator(try ModelFile.source(path: library), options: options).files()[0].text
        for line in [
            "public import Coffer", "public enum LibraryModel {",
            "open class Medium: ManagedObject, ModeledObject {",
            "    public struct Properties: Sendable {",
            "        public let title = Attribute<String>(\"title\")",
            "public final class AudioBook: Book {",
            "    public override class var entityName: String { \"Shelf\" }",
        ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)") }
    }

    @Test func `generated Swift knows all names that managed objects have`() throws {
        let sources = testFolder + "/../../Sources/Coffer"
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
            .filter { $0.contains("/ManagedObject+") || $0.hasSuffix("/ManagedObject.swift") }
        try #require(files.count > 3)
        for file in files {
            let bytes = FileManager.default.contents(atPath: "\(sources)/\(file)") ?? Data()
            let members = String(decoding: bytes, as: UTF8.self)
                .matches(of: #/\n    (?:public|open) (?:final )?(?:var|func) (\w+)/#)
            let missing = members.map { String($0.1) }.filter { !ReservedNames.object.contains($0) }
            #expect(missing.isEmpty, "ReservedNames.swift lacks what \(file) declares")
        }
    }

    @Test func `generated Swift leaves to the application what the model leaves to it`() throws {
        let model = notes.replacing(
            "entity name=\"Folder\"", with: "entity name=\"Folder\" codeGenerationType=\"class\"")
        let files = try SourceGenerator(try source("notes", model)).files()
        #expect(files.map(\.entity) == [nil, "Folder"])
        #expect(files[1].text.contains("ToMany<ManagedObject>(\"notes\")"))
        var options = GenerationOptions()
        options.includesManualClasses = true
        let all = try SourceGenerator(try source("notes", model), options: options).files()
        #expect(all.map(\.entity) == [nil, "Folder", "Note"])
    }

    @Test(arguments: [
        ("name=\"title\"", "name=\"hasChanges\"", "hasChangesValue"),
        ("name=\"title\"", "name=\"init\"", "initValue"),
        ("name=\"title\"", "name=\"hash\"", "hashAttribute"),
        ("name=\"title\"", "name=\"Attribute\"", "AttributeValue"),
        ("name=\"title\"", "name=\"_\"", "_Value"),
        ("name=\"title\"", "name=\"default\"", "`default`"),
        ("name=\"title\"", "name=\"for\"", "`for`"),
    ])
    func `generated Swift has names that Swift takes`(_ old: String, _ new: String, _ name: String) throws {
        let text = try SourceGenerator(try source("notes", notes.replacing(old, with: new))).files()[2].text
        #expect(text.contains("let \(name) = Attribute<String>("), "\(text)")
    }

    @Test(arguments: [
        (
            "entity name=\"Note\"", "entity name=\"Note\" representedClassName=\"Folder\"",
            "The entities 'Folder' and 'Note' have the same class 'Folder'."
        ),
        (
            "entity name=\"Note\"", "entity name=\"Note\" representedClassName=\"Type\"",
            "The entity 'Note' cannot have the type 'Type': it means something else in Swift."
        ),
        (
            "entity name=\"Note\"", "entity name=\"Note\" representedClassName=\"model\"",
            "The entity 'Note' cannot have the type 'model': generated text has another use for that name."
        ),
        (
            "entity name=\"Note\"", "entity name=\"Note\" representedClassName=\"NotesModel\"",
            "The model cannot have the type 'NotesModel': the class of entity 'Note' has that name; "
        ),
        (
            "name=\"title\" attributeType=\"String\"/>",
            "name=\"title\" attributeType=\"String\"><userInfo><entry key=\"coffer.name\" value=\"stars\"/></userInfo></attribute>",
            "'Note.title' cannot be 'stars' in Swift: 'stars' has that name, too; "
        ),
        (
            "name=\"title\" attributeType=\"String\"/>",
            "name=\"title\" attributeType=\"String\"/><fetchedProperty name=\"same\"><fetchRequest name=\"x\" entity=\"Note\"/>"
                + "<userInfo><entry key=\"coffer.name\" value=\"stars\"/></userInfo></fetchedProperty>",
            "'Note.same' cannot be 'stars' in Swift: 'stars' has that name, too; "
        ),
        (
            "</model>", "<fetchRequest name=\"old\" entity=\"Note\" predicateString=\"stars &gt;\"/></model>",
            "The fetch request 'old' of entity 'Note' cannot be made a function: "
        ),
    ])
    func `a model that no Swift can be made of is refused with the name of the entity`(
        _ old: String, _ new: String, _ error: String
    ) throws {
        let model = notes.replacing(old, with: new)
        let thrown = #expect(throws: GenerationError.self) {
            _ = try SourceGenerator(try source("notes", model)).files()
        }
        #expect(thrown?.description.hasPrefix(error) == true, "\(String(describing: thrown))")
    }
}

/// The folder of these tests.
let testFolder = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined()

/// The model that the plugin makes Swift of in its own tests.
let library = testFolder + "/../CofferModelPluginTests/Library.xcdatamodeld"

/// A model of text, as if it had been read from a file.
func source(_ name: String, _ text: String) throws -> ModelSource {
    try withTemporaryFolder { (folder) throws in
        let path = "\(folder)/\(name).xcdatamodel"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Folder(at: path).replace("contents", with: Array(text.utf8))
        return try ModelFile.source(path: path)
    }
}

let notes = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Folder" syncable="YES">
            <relationship name="notes" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Note" \
    inverseName="folder" inverseEntity="Note"/>
        </entity>
        <entity name="Note" syncable="YES">
            <attribute name="title" attributeType="String"/>
            <attribute name="stars" optional="YES" attributeType="Integer 16" defaultValueString="3" usesScalarValueType="YES"/>
            <attribute name="created" optional="YES" attributeType="Date"/>
            <relationship name="folder" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" \
    inverseName="notes" inverseEntity="Folder"/>
        </entity>
    </model>
    """
