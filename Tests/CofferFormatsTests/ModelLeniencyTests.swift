import CofferFormats
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

/// What Xcode's editor leaves behind in files that it still compiles.
struct ModelLeniencyTests {
    private func read(_ inside: String) throws -> (model: ManagedObjectModel, warnings: [String]) {
        let bytes = Array("<model>\n\(inside)\n</model>".utf8)
        return (
            try ModelFile.read(bytes, file: "contents"),
            try ModelFile.warnings(bytes, file: "contents").map(\.description)
        )
    }

    @Test(arguments: [
        "", "attributeType='Undefined'", "attributeType='Transient'", "attributeType='Object ID'",
    ])
    func `a transient attribute needs no type`(type: String) throws {
        let (model, warnings) = try read(
            "<entity name='A'><attribute name='a' transient='YES' \(type)/></entity>")
        let attribute = try #require(model.entity(named: "A")?.attributes.first)
        #expect(attribute.definition.isTransient && attribute.type == .transformable)
        #expect(warnings == [])
        #expect(throws: FormatError.self) {
            try read("<entity name='A'><attribute name='a' \(type)/></entity>")
        }
    }

    static let defaults: [(type: String, text: String, value: AttributeValue)] = [
        ("Integer 16", "NO", .integer(0)), ("Integer 64", "YES", .integer(1)), ("Integer 32", "", .null),
        ("Double", "NO", .double(0)), ("Float", "YES", .float(1)), ("Decimal", "NO", .decimal(0)),
        ("Boolean", "0.0", .boolean(false)), ("Boolean", "1", .boolean(true)),
        ("Boolean", "False", .boolean(false)), ("UUID", "", .null), ("URI", "", .null),
        ("String", "", .string("")), ("String", "YES", .string("YES")),
        ("Date", "0", .null), ("Binary", "x", .null), ("Transformable", "NO", .null),
    ]

    @Test(arguments: defaults.indices)
    func `a default of the type that an attribute had before is read`(index: Int) throws {
        let (type, text, value) = Self.defaults[index]
        let (model, warnings) = try read(
            "<entity name='A'><attribute name='a' attributeType='\(type)' defaultValueString='\(text)'/></entity>"
        )
        #expect(model.entity(named: "A")?.attributes.first?.defaultValue == value)
        #expect(
            warnings.count == (["Date", "Binary", "Transformable"].contains(type) ? 1 : 0), "\(warnings)")
    }

    @Test func `bounds are of the type too`() throws {
        let (model, _) = try read(
            """
            <entity name='A'><attribute name='a' attributeType='Boolean' minValueString='NO' maxValueString='x'/>
            <attribute name='b' attributeType='Integer 16' minValueString='NO' maxValueString=''/></entity>
            """)
        let attributes = try #require(model.entity(named: "A")?.attributes)
        #expect(attributes[0].definition.validation == AttributeValidation())
        #expect(attributes[1].definition.validation == AttributeValidation(minimum: 0))
    }

    @Test func `the order of a relationship that was to-many once is passed over, and told of`() throws {
        let (model, warnings) = try read(
            "<entity name='A'><relationship name='r' maxCount='1' ordered='YES' destinationEntity='A'/></entity>"
        )
        #expect(model.entity(named: "A")?.relationships.first?.definition.isOrdered == false)
        #expect(
            warnings == [
                "contents:2:18: relationship 'r': it leads to one object, so that its order is passed over."
            ])
    }

    @Test func `indexes of one name are apart, and those of what has no column go`() throws {
        let index =
            "<fetchIndex name='i'><fetchIndexElement property='NAME' type='Binary' order='ascending'/></fetchIndex>"
        let (model, warnings) = try read(
            """
            <entity name='A'><attribute name='a' attributeType='String'/><attribute name='b' attributeType='String'/>
            <attribute name='t' transient='YES' attributeType='String'/>
            <relationship name='many' toMany='YES' destinationEntity='A'/>
            \(["a", "b", "a", "t", "many", "none"].map { index.replacing("NAME", with: $0) }.joined())
            <compoundIndexes><compoundIndex><index value='a'/></compoundIndex>
            <compoundIndex><index value='a'/></compoundIndex></compoundIndexes></entity>
            <entity name='B' parentEntity='A'>\(index.replacing("NAME", with: "a"))</entity>
            """)
        let indexes = try #require(model.entity(named: "A")?.definition.indexes)
        #expect(indexes.map(\.name) == ["i", "i_2", "a"])
        #expect(indexes.map { $0.elements.map(\.property) } == [["a"], ["b"], ["a"]])
        #expect(model.entity(named: "B")?.definition.indexes.map(\.name) == ["i"])
        #expect(warnings.count == 3, "\(warnings)")
    }

    @Test func `a made-up name of an index is one that is free, whatever its case`() throws {
        let names = [("i", "a"), ("I", "b"), ("i_2", "a"), ("i", "b"), ("I", "b"), ("i_3", "b")]
        let indexes = names.map { name, property in
            "<fetchIndex name='\(name)'><fetchIndexElement property='\(property)'/></fetchIndex>"
        }
        let (model, _) = try read(
            "<entity name='A'><attribute name='a' attributeType='String'/><attribute name='b' attributeType='String'/>"
                + indexes.joined() + "</entity>")
        let found = try #require(model.entity(named: "A")?.definition.indexes)
        #expect(found.map(\.name) == ["i", "I_4", "i_2", "i_5", "i_3"])
        #expect(found.map { $0.elements.map(\.property) } == [["a"], ["b"], ["a"], ["b"], ["b"]])
    }

    @Test(.leftToAll, arguments: ["memberEntity", "fetchRequest", "fetchIndex", "attribute"])
    func `a file that names very much is read in no time`(what: String) throws {
        let count = 200_000
        func repeated(_ text: String) -> String {
            let parts = text.split(separator: "#", omittingEmptySubsequences: false)
            return (0..<count).map { parts.joined(separator: "\($0)") }.joined()
        }
        let attribute = "<attribute name='a' attributeType='String'/>"
        let index = "<fetchIndex name='i#'><fetchIndexElement property='a'/></fetchIndex>"
        switch what {
        case "memberEntity":
            // More entities than a model may have, and as many names of none.
            let members = "<configuration name='C'>\(repeated("<memberEntity name='x#'/>"))</configuration>"
            #expect(throws: FormatError.self) { try read(repeated("<entity name='e#'/>") + members) }
        case "fetchRequest":
            let (model, _) = try read(
                "<entity name='A'/>" + repeated("<fetchRequest name='f#' entity='A'/>"))
            #expect(model.fetchRequestTemplates.count == count)
        case "fetchIndex":
            let (model, _) = try read("<entity name='A'>\(attribute)\(repeated(index))</entity>")
            #expect(model.entities.first?.definition.indexes.count == count)
        default:
            // What many inherit: its names are not gathered for each of them.
            let attributes = repeated("<attribute name='a#' attributeType='String'/>")
            let children = repeated(
                "<entity name='e#' parentEntity='A'>\(index.replacing("'a'", with: "'a0'"))</entity>")
            #expect(throws: FormatError.self) {
                try read("<entity name='A'>\(attributes)</entity>" + children)
            }
        }
    }

    @Test func `requests of no entity, and members that are gone, are passed over`() throws {
        let (model, warnings) = try read(
            """
            <entity name='A'><fetchedProperty name='f'/>
            <fetchedProperty name='g'><fetchRequest name='r' entity='Gone'/></fetchedProperty>
            <userInfo><entry/><entry key='k'/></userInfo></entity>
            <fetchRequest name='x'/><fetchRequest name='y' entity='Gone'/><fetchRequest name='z' entity='A'/>
            <fetchRequest name='z' entity='A'/>
            <configuration name='C'><memberEntity name='A'/><memberEntity name='Gone'/></configuration>
            """)
        #expect(model.entity(named: "A")?.fetchedProperties == [])
        #expect(model.entity(named: "A")?.definition.userInfo == ["k": ""])
        #expect(model.fetchRequestTemplates.map(\.name) == ["z"])
        #expect(model.configurations == ["C": ["A"]])
        #expect(warnings.count == 6, "\(warnings)")
    }

    @Test func `an attribute of a composite is read as its parts`() throws {
        let (model, warnings) = try read(
            """
            <entity name='A'><attribute name='home' optional='YES' attributeType='Composite' composite='Address'/></entity>
            <composite name='Address'>
                <attribute name='city' attributeType='String' defaultValueString='Bonn'/>
                <attribute name='at' attributeType='Composite' composite='Point'/>
            </composite>
            <composite name='Point'>
                <attribute name='x' attributeType='Double'/><attribute name='y' attributeType='Double'/>
            </composite>
            """)
        let attributes = try #require(model.entity(named: "A")?.definition.attributes)
        #expect(attributes.map(\.name).sorted() == ["home_at_x", "home_at_y", "home_city"])
        #expect(attributes.map(\.isOptional) == [true, true, true])
        #expect(attributes.first { $0.name == "home_city" }?.defaultValue == .string("Bonn"))
        #expect(warnings.count == 1 && warnings[0].contains("'home_city', 'home_at_x', 'home_at_y'"))
    }

    @Test(arguments: [
        "<attribute name='a' attributeType='Composite'/>",
        "<attribute name='a' attributeType='Composite' composite='None'/>",
        "<attribute name='a' attributeType='Composite' composite='Circle'/>",
        "<attribute name='a' attributeType='Composite' composite='M1'/>",
    ])
    func `a composite that is missing, inside itself or too large is refused by name`(attribute: String)
        throws
    {
        // Each of these has the one before it ten times.
        let many = (1...7).map { number in
            let parts = (0..<10).map { part in
                number == 7
                    ? "<attribute name='p\(part)' attributeType='Date'/>"
                    : "<attribute name='p\(part)' attributeType='Composite' composite='M\(number + 1)'/>"
            }
            return "<composite name='M\(number)'>\(parts.joined())</composite>"
        }
        let error = #expect(throws: FormatError.self) {
            try read(
                """
                <entity name='A'>\(attribute)</entity>
                <composite name='Circle'><attribute name='c' attributeType='Composite' composite='Circle'/></composite>
                \(many.joined())
                """)
        }
        #expect(error?.description.contains("of entity 'A'") == true)
    }
}
