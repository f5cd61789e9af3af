import CofferGeneration
import TestSupport
import Testing

/// Names of properties that mean something in Swift, in `ManagedObject`, or in what is made.
private let propertyNames = """
    hash hashValue description debugDescription customMirror objectID entity context isDeleted value members hasChanges \
    managedObjectContext validatedKeys body id error \
    init deinit self Self Type Protocol Any subscript dynamicMember where default class let var func in is as get set willSet didSet \
    true false nil super throw throws rethrows try catch async await do if else switch case for guard while repeat return \
    import extension protocol struct enum actor macro operator infix prefix postfix precedencegroup typealias associatedtype \
    internal private public open package fileprivate static final lazy weak unowned mutating inout borrowing consuming sending copy \
    any some each of type yield nonisolated isolated _ __ _1 \
    entityName properties all names path predicate model keyPaths newValue rawValue Properties AllProperties Name \
    String Int64 Date Attribute ToOne ToMany RelatedObjects FetchRequest QueryPredicate ManagedObject Sendable KeyPath Set Result \
    Swift Coffer FoundationEssentials
    """.split(separator: " ").map { String($0) }

/// Names of classes that are types of Swift, Foundation or Coffer, or words that Swift reads otherwise
/// somewhere.
private let classNames =
    ReservedNames.used.keys.sorted()
        + """
        Set Array Dictionary Optional Result Error Never Void Character Int Substring Range Duration Identifiable Hashable Codable Task \
        Actor MainActor Foundation CofferModel Model Object Value Name Name_ Operation Bundle Locale Predicate \
        class default get set willSet didSet error newValue request predicate some any each async left
        """.split(separator: " ").map { String($0) }

/// Names of what a fetch request leaves open.
private let variableNames = """
    request self in for init class entityName limit some any is where default String Date FetchRequest QueryComparison Note Coffer Swift
    """.split { $0.isWhitespace }.map { String($0) }

/// A model with all of them.
private let model = {
    let types = [
        "String", "Integer 64", "Date", "Boolean", "UUID", "Decimal", "Binary", "URI", "Transformable",
    ]
    func attributes(_ names: [String]) -> String {
        names.enumerated().map { place, name in
            #"<attribute name="\#(name)" optional="YES" attributeType="\#(types[place % types.count])"/>"#
        }.joined()
    }
    let classes = classNames.map { name in
        #"""
        <entity name="A\#(name)" representedClassName="\#(name)">\#(attributes(["a", "b", "c", "d", "e", "f", "g", "h"]))
        <relationship name="x" optional="YES" maxCount="1" destinationEntity="A\#(name)"/></entity>
        <entity name="B\#(name)" parentEntity="A\#(name)">\#(attributes(["\(name)", "b\(name)"]))
        <relationship name="y" optional="YES" toMany="YES" destinationEntity="A\#(name)"/></entity>
        """#
    }
    let requests = variableNames.enumerated().flatMap { place, name in
        ["Note", "Special"].map { entity in
            #"""
            <fetchRequest name="\#(entity) by \#(name)" entity="\#(entity)" fetchLimit="\#(place % 2)"
                predicateString="title == $\#(name) AND due &lt; CAST(5, 'NSDate')"/>
            """#
        }
    }
    let named = [
        "all", "where", "init", "self", "_", "default", "Properties", "entity name", "validatedKeys", "class",
        "1",
    ].map {
        #"<fetchRequest name="\#($0)" entity="Note" predicateString="title == 'x'"/>"#
    }
    return """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Note">\(attributes(["title", "stars", "due"]))</entity>
        <entity name="Special" parentEntity="Note">\(attributes(["more"]))</entity>
        <entity name="Whole">\(attributes(propertyNames))</entity>
        <entity name="Top">\(attributes(["first"]))</entity>
        <entity name="Middle" parentEntity="Top">\(attributes(propertyNames))</entity>
        <entity name="Bottom" parentEntity="Middle">\(attributes(["last"]))</entity>
        \((classes + requests + named).joined(separator: "\n"))
        </model>
        """
}()

@Suite(.enabled(if: SwiftCompiler.isThere, "there is no swiftc")) struct `Swift of a model with unusual names`
{
    @Test(
        .leftToAll,
        arguments: [(GenerationOptions.Access.internal, true), (.public, false)])
    func `the compiler takes Swift of a model with unusual names`(
        access: GenerationOptions.Access, isOneFile: Bool
    ) throws {
        var options = GenerationOptions()
        options.access = access
        options.isOneFile = isOneFile
        let files = try SourceGenerator(try source("unusual", model), options: options).files()
        let texts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
        let complaints = try SwiftCompiler().complaints(about: texts)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func `Swift of unusual names that is wrong is found to be wrong`() throws {
        let complaints = try SwiftCompiler().complaints(about: [
            "Wrong.swift": "import Coffer\nfinal class Wrong: ManagedObject { let stars: Stars }\n"
        ])
        #expect(complaints.contains { $0.contains("cannot find type 'Stars' in scope") }, "\(complaints)")
    }
}
