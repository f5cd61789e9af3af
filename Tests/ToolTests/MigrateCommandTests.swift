import CofferLinux
import Foundation
import TestSupport
import Testing

@Test
func `a store file is migrated after a look at what that does`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let renamed = libraryModel.replacing(
            "<attribute name=\"code\"", with: "<attribute name=\"mark\" elementID=\"code\""
        )
        .replacing("value=\"code\"", with: "value=\"mark\"")
        let next = try coffer.write("next", renamed)

        let plan = try coffer("migrate", file, "--embedded", "--to", next, "--dry-run", "--csv")
        #expect(plan.code == 0 && plan.lines.contains { $0.contains("code → mark") }, "\(plan)")
        #expect(
            try coffer("fetch", file, "Author", "--embedded", "--csv").lines.first?.contains("code") == true)

        let done = try coffer("migrate", file, "--embedded", "--to", next, "--json")
        #expect(done.code == 0 && done.lines.first?.contains("\"number\":2") == true, "\(done)")
        let rows = try coffer("fetch", file, "Author", "--embedded", "--csv", "--where", "mark == \"a\"")
        #expect(rows.lines.count == 2, "\(rows)")
        let again = try coffer("migrate", file, "--embedded", "--to", next)
        #expect(again.code == 0 && again.errors.contains("has this model already"))
        #expect(try coffer("migrate", file, "--embedded", "--bus", "session", "--to", next).code == 64)
    }
}

@Test(arguments: [["--embedded"], []])
func `a store goes through the stages of its model, by the mapping models between them`(
    own: [String]
) throws {
    try withTool { (coffer) throws in
        let file = own.isEmpty ? "Library" : coffer.path("library.sqlite")
        let renamed = libraryModel.replacing("Author\"", with: "Writer\"")
        let last = renamed.replacing(
            "<attribute name=\"copies\"", with: "<attribute name=\"amount\" elementID=\"copies\"")
        for (name, text) in [("1", libraryModel), ("2", renamed), ("3", last)] {
            let version = "versions/Library \(name).xcdatamodel"
            try FileManager.default.createDirectory(
                atPath: coffer.path(version), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: coffer.path("\(version)/contents")))
        }
        let mapping = coffer.path("versions/Library1_to_Library2.cdm")
        try Data("none".utf8).write(to: URL(filePath: mapping))
        let versions = coffer.path("versions")
        let first = "\(versions)/Library 1.xcdatamodel"
        #expect(try coffer.run(["store", "add", file, "--model", first] + own).code == 0)
        #expect(try coffer.run(["insert", file, "Author", "code=a"] + own).code == 0)
        #expect(try coffer.run(["migrate", file] + own).code == 64)

        // A file that is not a mapping model is not passed over.
        let misread = try coffer.run(["migrate", file, "--to", first, "--mapping", mapping] + own)
        #expect(misread.code != 0 && misread.errors.contains("mapping model"), "\(misread)")
        #expect(try coffer.run(["migrate", file, "--staged", versions] + own).code != 0)
        try FileManager.default.removeItem(atPath: mapping)
        let bundle = "versions/Library1_to_Library2.xcmappingmodel"
        try FileManager.default.createDirectory(
            atPath: coffer.path(bundle), withIntermediateDirectories: true)
        try Data(writerMapping.utf8).write(to: URL(filePath: coffer.path("\(bundle)/xcmapping.xml")))

        let plan = try coffer.run(["migrate", file, "--staged", versions, "--dry-run", "--csv"] + own)
        #expect(plan.code == 0 && plan.lines.contains { $0.contains("Author → Writer") }, "\(plan)")
        #expect(plan.errors.contains("'Library 3'"), "\(plan)")
        #expect(try coffer.run(["fetch", file, "Author", "--csv"] + own).lines.count == 2)
        let done = try coffer.run(["migrate", file, "--staged", versions] + own)
        #expect(done.code == 0 && done.errors.contains("from 'Library 2' to 'Library 3'"), "\(done)")
        let rows = try coffer.run(["fetch", file, "Writer", "--csv", "--where", "code == \"a\""] + own)
        #expect(rows.lines.count == 2, "\(rows)")
        let again = try coffer.run(["migrate", file, "--staged", versions] + own)
        #expect(again.code == 0 && again.errors.contains("'Library 3', already"), "\(again)")

        try FileManager.default.removeItem(atPath: "\(versions)/Library 3.xcdatamodel")
        let strange = try coffer.run(["migrate", file, "--staged", versions] + own)
        #expect(strange.code == 65 && strange.errors.contains("not among the versions"), "\(strange)")
    }
}

@Test
func `a file that keeps no model is migrated from the version that is named, or told by its hashes`() throws {
    try withTool { (coffer) throws in
        let file = try makeForeignFile(coffer)
        let program = "import sqlite3; sqlite3.connect('\(file)').execute('drop table Z_MODELCACHE')"
        #expect(try coffer.shell("python3 -c \"\(program)\"").waitForExit() == .code(0))
        let renamed = libraryModel.replacing("Author\"", with: "Writer\"")
            .replacing("<entity name=\"Writer\"", with: "<entity name=\"Writer\" elementID=\"Author\"")
        for (name, text) in [("1", libraryModel), ("2", renamed)] {
            let version = "versions/Library \(name).xcdatamodel"
            try FileManager.default.createDirectory(
                atPath: coffer.path(version), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: coffer.path("\(version)/contents")))
        }
        let (versions, before) = (coffer.path("versions"), try FolderSnapshot(of: coffer.path("foreign")))
        let (old, new) = ("\(versions)/Library 1.xcdatamodel", "\(versions)/Library 2.xcdatamodel")
        let unknown = try coffer("migrate", file, "--embedded", "--to", new, "--adopt")
        #expect(unknown.code != 0 && unknown.errors.contains("keeps no model"), "\(unknown)")
        let wrong = try coffer("migrate", file, "--embedded", "--to", old, "--model", new, "--adopt")
        #expect(wrong.code == 0 && wrong.errors.contains("already"), "\(wrong)")
        for command in [["--to", new, "--model", old], ["--staged", versions]] {
            let plan = try coffer.run(["migrate", file, "--embedded", "--dry-run", "--csv"] + command)
            #expect(plan.code == 0 && plan.lines.contains { $0.contains("Author → Writer") }, "\(plan)")
        }
        #expect(try coffer("migrate", file, "--staged", versions, "--model", old).code == 64)
        #expect(try FolderSnapshot(of: coffer.path("foreign")) == before)
        let done = try coffer("migrate", file, "--embedded", "--to", new, "--model", old, "--adopt")
        #expect(done.code == 0, "\(done)")
        let rows = try coffer("fetch", file, "Writer", "--embedded", "--csv", "--where", "code == \"a\"")
        #expect(rows.lines.count == 2, "\(rows)")
    }
}

/// A mapping model of Xcode's form, by which authors become writers.
private let writerMapping = """
    <?xml version="1.0" standalone="yes"?>
    <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
    <database>
        <databaseInfo><version>134481920</version><UUID>6F997B6B-BDC2-4040-B537-37B0048E5A24</UUID>
            <nextObjectID>110</nextObjectID><metadata><plist version="1.0"><dict></dict></plist></metadata>
        </databaseInfo>
        <object type="XDDEVMAPPINGMODEL" id="z101">
            <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z102 z103"></relationship>
        </object>
        <object type="XDDEVENTITYMAPPING" id="z102">
            <attribute name="sourcename" type="string">Author</attribute>
            <attribute name="destinationname" type="string">Writer</attribute>
            <attribute name="mappingtypename" type="string">Transform</attribute>
            <attribute name="mappingnumber" type="int16">1</attribute>
            <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship>
        </object>
        <object type="XDDEVENTITYMAPPING" id="z103">
            <attribute name="sourcename" type="string">Book</attribute>
            <attribute name="destinationname" type="string">Book</attribute>
            <attribute name="mappingtypename" type="string">Copy</attribute>
            <attribute name="mappingnumber" type="int16">2</attribute>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z104">
            <attribute name="name" type="string">code</attribute>
        </object>
    </database>
    """

@Test
func `a store file that cannot be migrated is told of with all that is in the way`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let numbered = libraryModel.replacing(
            "<attribute name=\"code\" attributeType=\"String\" maxValueString=\"4\"/>",
            with: "<attribute name=\"code\" attributeType=\"Integer 64\"/>")
        let next = try coffer.write("next", numbered)
        for command in [["--dry-run"], []] {
            let outcome = try coffer.run(["migrate", file, "--embedded", "--to", next] + command)
            #expect(outcome.code == 65, "\(outcome)")
            #expect(outcome.errors.contains("1 value of 'Author.code' cannot be turned"), "\(outcome)")
        }
        #expect(try coffer("fetch", file, "Author", "--embedded", "--count", "--json").json["count"] == "1")
    }
}

@Test
func `a store of the service is migrated by its name, after a look at what that does`() throws {
    try withLibrary { (coffer) throws in
        #expect(try coffer("insert", "Library", "Author", "code=a", "name=Ada").code == 0)
        let without = libraryModel.replacing(
            "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>", with: "")
        let next = try coffer.write("next", without)
        let plan = try coffer("migrate", "Library", "--to", next, "--dry-run", "--json")
        #expect(plan.code == 0 && plan.lines.first?.contains("\"droppedCount\":1") == true, "\(plan)")
        #expect(plan.lines.first?.contains("Ada") == true && plan.lines.first?.contains("number") == false)
        #expect(try coffer("fetch", "Library", "Author", "--csv").lines.first?.contains("name") == true)

        let done = try coffer("migrate", "Library", "--to", next)
        #expect(done.code == 0 && done.errors.contains("Library.sqlite.backup-"), "\(done)")
        let rows = try coffer("fetch", "Library", "Author", "--csv")
        #expect(rows.lines.first?.contains("name") == false && rows.lines.count == 2, "\(rows)")
        let again = try coffer("migrate", "Library", "--to", next)
        #expect(again.code == 0 && again.errors.contains("has this model already"), "\(again)")
        let former = try coffer.write("former", libraryModel)
        let back = try coffer("migrate", "Library", "--to", former, "--no-backup")
        #expect(back.code == 0 && back.errors.contains("takes it back"), "\(back)")
        #expect(!back.errors.contains("backup"), "\(back)")

        let numbered = libraryModel.replacing(
            "<attribute name=\"code\" attributeType=\"String\" maxValueString=\"4\"/>",
            with: "<attribute name=\"code\" attributeType=\"Integer 64\"/>")
        let bad = try coffer.write("bad", numbered)
        for command in [["--dry-run"], []] {
            let outcome = try coffer.run(["migrate", "Library", "--to", bad] + command)
            #expect(outcome.errors.contains("1 value of 'Author.code' cannot be turned"), "\(outcome)")
            #expect(outcome.code != 0)
        }
        #expect(try coffer("migrate", "Nobody", "--to", next).code == 66)
    }
}

@Test
func `a file that Coffer did not make is migrated where somebody agrees`() throws {
    try withTool { (coffer) throws in
        let file = try makeForeignFile(coffer)
        let before = try FolderSnapshot(of: coffer.path("foreign"))
        let without = libraryModel.replacing(
            "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>", with: "")
        let next = try coffer.write("next", without)
        let plan = try coffer("migrate", file, "--embedded", "--to", next, "--dry-run", "--csv")
        #expect(plan.code == 0 && plan.lines.contains { $0.contains("name,removed") }, "\(plan)")
        let refused = try coffer("migrate", file, "--embedded", "--to", next)
        #expect(refused.code == 77 && refused.errors.contains("Agree with '--adopt'"), "\(refused)")
        #expect(try FolderSnapshot(of: coffer.path("foreign")) == before)
        let done = try coffer("migrate", file, "--embedded", "--to", next, "--adopt", "--json")
        #expect(done.code == 0 && done.lines.first?.contains("\"number\":") == true, "\(done)")
        let rows = try coffer("fetch", file, "Author", "--embedded", "--csv")
        #expect(rows.lines.count == 2 && rows.lines.first?.contains("name") == false, "\(rows)")
    }
}
