import CofferLinux
import Foundation
import TestSupport
import Testing

/// The library in which books that are lent are loans.
private let loanModel = libraryModel.replacing(
    "</model>",
    with: """
            <entity name="Loan" syncable="YES">
                <attribute name="title" attributeType="String"/>
                <attribute name="weight" optional="YES" attributeType="Double"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="loans" inverseEntity="Author"/>
            </entity>
        </model>
        """
).replacing(
    "<uniquenessConstraints>",
    with: """
        <relationship name="loans" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Loan" \
        inverseName="author" inverseEntity="Loan"/><uniquenessConstraints>
        """)

@Test func `what is mistyped in a mapping model is warned of, and refused if that is asked for`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("library.sqlite")
        try coffer.makeLibrary(file, books: 10, ["--embedded"])
        let next = try coffer.write("next", loanModel)
        let mapping = try coffer.writeLoanMapping()
        let source = loanMapping.replacing("sourcefilterpredicatestring", with: "sourcefilterpredicatstring")
        try Data(source.utf8).write(to: URL(filePath: mapping + "/xcmapping.xml"))
        let migrate = ["migrate", file, "--embedded", "--to", next, "--mapping", mapping]
        let warning =
            "the attribute 'sourcefilterpredicatstring' of the entity mapping 'Author': not known here, "
            + "and passed over; did you mean 'sourcefilterpredicatestring'?"
        let plan = try coffer.run(migrate + ["--dry-run"])
        #expect(
            plan.code == 0 && plan.errors.contains("xcmapping.xml:14:5: \(warning)"), "\(plan)")
        let strict = try coffer.run(migrate + ["--strict"])
        #expect(strict.code == 65 && strict.errors.contains(warning), "\(strict)")
        let shown = try coffer.run(["model", "show", mapping])
        #expect(shown.code == 0 && shown.errors.contains(warning), "\(shown)")
    }
}

/// A mapping model of Xcode's form that makes books and loans of books, by a filter.
private let loanMapping = """
    <?xml version="1.0" standalone="yes"?>
    <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
    <database>
        <databaseInfo><version>134481920</version><UUID>6F997B6B-BDC2-4040-B537-37B0048E5A25</UUID>
            <nextObjectID>110</nextObjectID><metadata><plist version="1.0"><dict></dict></plist></metadata>
        </databaseInfo>
        <object type="XDDEVMAPPINGMODEL" id="z101">
            <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z102 z103 z104"></relationship>
        </object>
        \(entityMapping("z102", 1, "Author", "Author", "Copy"))
        \(entityMapping("z103", 2, "Book", "Book", "Copy", filter: "lent != YES"))
        \(entityMapping("z104", 3, "Book", "Loan", "Copy", filter: "lent == YES"))
    </database>
    """

private func entityMapping(
    _ id: String, _ number: Int, _ source: String, _ destination: String, _ kind: String, filter: String = ""
) -> String {
    """
    <object type="XDDEVENTITYMAPPING" id="\(id)">
        <attribute name="sourcename" type="string">\(source)</attribute>
        <attribute name="destinationname" type="string">\(destination)</attribute>
        <attribute name="mappingtypename" type="string">\(kind)</attribute>
        <attribute name="sourcefilterpredicatestring" type="string">\(filter)</attribute>
        <attribute name="mappingnumber" type="int16">\(number)</attribute>
    </object>
    """
}

extension Tool {
    /// Writes the mapping model; gives its path.
    fileprivate func writeLoanMapping() throws -> String {
        let bundle = path("Loans.xcmappingmodel")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try Data(loanMapping.utf8).write(to: URL(filePath: bundle + "/xcmapping.xml"))
        return bundle
    }

    /// Makes a library with so many books of one author, every third of which is lent.
    fileprivate func makeLibrary(
        _ file: String, books: Int, _ own: [String] = ["--embedded"]
    ) throws {
        let model = try write("model", libraryModel)
        #expect(try run(["store", "add", file, "--model", model] + own).code == 0)
        #expect(try run(["insert", file, "Author", "code=a", "name=Ada"] + own).code == 0)
        let rows = (0..<books).map {
            #"{"title": "a\#($0)", "weight": \#($0), "lent": \#($0 % 3 == 0), "code": "a"}"#
        }
        let books = try write("books.json", "[\(rows.joined(separator: ","))]")
        let imported = try run(["import", file, "Book", books, "--relate", "author=code:{code}"] + own)
        #expect(imported.code == 0, "\(imported)")
    }

    /// How many objects of an entity there are.
    fileprivate func count(
        _ file: String, _ entity: String, _ own: [String] = ["--embedded"]
    ) throws -> Int? {
        let text = try run(["fetch", file, entity, "--count", "--json"] + own).json["count"]
        return text.flatMap { Int($0.description) }
    }
}

@Test(arguments: [["--embedded"], []])
func `a mapping model that takes only some objects is followed object by object`(own: [String]) throws {
    try withTool { (coffer) throws in
        let file = own.isEmpty ? "library" : coffer.path("library.sqlite")
        try coffer.makeLibrary(file, books: 10, own)
        let next = try coffer.write("next", loanModel)
        let mapping = try coffer.writeLoanMapping()
        let plan = try coffer.run(
            ["migrate", file, "--to", next, "--mapping", mapping, "--dry-run", "--csv"] + own)
        #expect(
            plan.code == 0 && plan.lines.contains { $0.hasPrefix("Book → Loan,\"\",converted,4,") }, "\(plan)"
        )
        #expect(try coffer.count(file, "Book", own) == 10)
        let done = try coffer.run(["migrate", file, "--to", next, "--mapping", mapping] + own)
        #expect(done.code == 0 && done.errors.contains("library.sqlite.backup-"), "\(done)")
        #expect(try coffer.count(file, "Book", own) == 6 && coffer.count(file, "Loan", own) == 4)
        let loans = try coffer.run(
            [
                "fetch", file, "Loan", "--csv", "--sort", "title", "--properties",
                "title,weight,author.name",
            ] + own)
        #expect(loans.lines.dropFirst() == ["a0,0,Ada", "a3,3,Ada", "a6,6,Ada", "a9,9,Ada"], "\(loans)")
        let again = try coffer.run(["migrate", file, "--to", next, "--mapping", mapping] + own)
        #expect(again.code == 0 && again.errors.contains("has this model already"), "\(again)")
    }
}

@Test(.leftToAll, arguments: Seed.several(1))
func `a store whose migration object by object is killed is as it was, or migrated`(seed: Seed) throws {
    var random = seed.generator()
    let books = 1_500
    try withTool { (coffer) throws in
        let pristine = coffer.path("pristine")
        try coffer.makeLibrary(coffer.path("library.sqlite"), books: books)
        try FileManager.default.copyItem(atPath: coffer.path("library.sqlite"), toPath: pristine)
        let next = try coffer.write("next", loanModel)
        let mapping = try coffer.writeLoanMapping()
        // How long it takes without a kill.
        let file = coffer.path("killed.sqlite")
        try FileManager.default.copyItem(atPath: pristine, toPath: file)
        let start = ContinuousClock.now
        #expect(try coffer("migrate", file, "--embedded", "--to", next, "--mapping", mapping).code == 0)
        let whole = ContinuousClock.now - start
        var (killed, migrated) = (0, 1)
        for round in 0..<25 {
            if migrated > 0 {
                #expect(try coffer("store", "remove", file, "--embedded", "--yes").code == 0)
                try FileManager.default.copyItem(atPath: pristine, toPath: file)
                migrated = 0
            }
            let child = try coffer.start(
                "migrate", file, "--embedded", "--to", next, "--mapping", mapping)
            let patience = whole * Double.random(in: 0...2, using: &random)
            if try child.waitForExit(timeout: patience) == nil { try child.kill(.kill) }
            let isDone = try child.waitForExit() == .code(0)
            if !isDone { killed += 1 }
            let count = try #require(try coffer.count(file, "Book"))
            if count == books {
                #expect(!isDone, "after \(round), with the seed \(seed)")
                #expect(try coffer.count(file, "Author") == 1)
            } else {
                migrated = 1
                #expect(count == books / 3 * 2, "after \(round), with the seed \(seed)")
                #expect(try coffer.count(file, "Loan") == books / 3)
            }
        }
        print("seed \(seed): \(killed) of 25 killed")
        #expect(killed > 2)
        if migrated == 0 {
            #expect(try coffer("migrate", file, "--embedded", "--to", next, "--mapping", mapping).code == 0)
        }
        #expect(try coffer.count(file, "Loan") == books / 3)
        let left = try FileManager.default.contentsOfDirectory(atPath: coffer.path("")).filter {
            $0.contains("killed.sqlite.new")
        }
        #expect(left == [])
    }
}
