import CofferFormats
import CofferModel
import FoundationEssentials
import Testing

struct ModelFileTests {
    private func read(_ inside: String) throws(FormatError) -> ManagedObjectModel {
        let text =
            "<?xml version=\"1.0\"?>\n<model userDefinedModelVersionIdentifier=\"7\">\n\(inside)\n</model>"
        return try ModelFile.read(Array(text.utf8), file: "contents")
    }

    private func message(_ inside: String) -> String? {
        do {
            _ = try read(inside)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `all that a definition has a place for is read`() throws {
        let model = try read(
            """
            <entity name="Book" representedClassName=".Book" parentEntity="Item" elementID="Volume" syncable="YES"
                versionHashModifier="m" codeGenerationType="class">
              <attribute name="title" attributeType="String" defaultValueString="" minValueString="1" maxValueString="80"
                  regularExpressionString="[a-z]+" indexed="YES" elementID="name" versionHashModifier="t"/>
              <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
                  preserveAfterDeletion="YES"/>
              <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES"
                  derivationExpression="pages.@count"/>
              <attribute name="shape" optional="YES" transient="YES" attributeType="Transformable"
                  valueTransformerName="Shape"/>
              <relationship name="pages" optional="YES" toMany="YES" minCount="1" maxCount="9" ordered="YES"
                  deletionRule="Cascade" destinationEntity="Page" inverseName="book" inverseEntity="Book"
                  elementID="sheets" versionHashModifier="r"/>
              <fetchedProperty name="similar" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="title == $FETCH_SOURCE.title"
                    fetchLimit="3"/>
                <userInfo><entry key="k" value="v"/></userInfo>
              </fetchedProperty>
              <fetchIndex name="byTitle">
                <fetchIndexElement property="title" type="Binary" order="descending"/>
                <fetchIndexElement property="count" type="Binary" order="ascending"/>
              </fetchIndex>
              <fetchIndex name="area"><fetchIndexElement property="count" type="RTree" order="ascending"/></fetchIndex>
              <fetchIndex name="some" partialIndexPredicate="count &gt; 3">
                <fetchIndexElement property="title" type="Binary" order="ascending"/>
                <fetchIndexElement expression="entity" expressionType="Undefined" type="Binary" order="descending"/>
              </fetchIndex>
              <compoundIndexes><compoundIndex><index value="title"/><index value="count"/></compoundIndex></compoundIndexes>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="title"/><constraint value="count"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="count"/></uniquenessConstraint>
              </uniquenessConstraints>
              <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <entity name="Item" isAbstract="YES"/>
            <entity name="Page">
              <relationship name="book" maxCount="1" deletionRule="Deny" destinationEntity="Book" inverseName="pages"/>
            </entity>
            <configuration name="Local"><memberEntity name="Page"/></configuration>
            <fetchRequest name="all" entity="Book" predicateString="title == $TITLE" includeSubentities="NO"
                includesPendingChanges="NO" returnDistinctResults="YES" fetchLimit="5"/>
            <elements><element name="Book" positionX="1"/></elements>
            <novelty/>
            """)
        let book = EntityDefinition(
            "Book", superentity: "Item", className: ".Book",
            attributes: [
                AttributeDefinition(
                    "title", .string, defaultValue: .string(""), isIndexed: true,
                    validation: AttributeValidation(minimum: 1, maximum: 80, regularExpression: "[a-z]+"),
                    versionHashModifier: "t", renamingIdentifier: "name"),
                AttributeDefinition(
                    "cover", .binary, isOptional: true, allowsExternalStorage: true,
                    preservesValueOnDeletion: true),
                AttributeDefinition(
                    "count", .integer64, isOptional: true, derivationExpression: "pages.@count"),
                AttributeDefinition(
                    "shape", .transformable, isOptional: true, isTransient: true, transformerName: "Shape"),
            ],
            relationships: [
                RelationshipDefinition(
                    "pages", to: "Page", inverse: "book", isToMany: true, isOrdered: true, minimumCount: 1,
                    maximumCount: 9, deleteRule: .cascade, versionHashModifier: "r",
                    renamingIdentifier: "sheets")
            ],
            fetchedProperties: [
                FetchedPropertyDefinition(
                    "similar",
                    request: FetchRequestTemplate(
                        "fetchedPropertyFetchRequest", entityName: "Book",
                        predicate: "title == $FETCH_SOURCE.title", limit: 3),
                    userInfo: ["k": "v"])
            ],
            indexes: [
                FetchIndexDefinition(
                    "byTitle", elements: [.init("title", isAscending: false), .init("count")]),
                FetchIndexDefinition("area", elements: [.init("count")], kind: .rTree),
                FetchIndexDefinition(
                    "some", elements: [.init("title"), .init(expression: "entity", isAscending: false)],
                    partialPredicate: "count > 3"),
                FetchIndexDefinition("title_count", elements: [.init("title"), .init("count")]),
            ],
            uniquenessConstraints: [["title", "count"], ["count"]], versionHashModifier: "m",
            renamingIdentifier: "Volume", userInfo: ["k": "v"])
        #expect(model.entity(named: "Book")?.definition == book)
        #expect(model.entity(named: "Item")?.isAbstract == true)
        #expect(model.entity(named: "Page")?.relationships.first?.definition.deleteRule == .deny)
        #expect(model.entity(named: "Page")?.relationships.first?.definition.isOptional == false)
        #expect(model.configurations == ["Local": ["Page"]])
        #expect(model.versionIdentifiers == ["7"])
        #expect(
            model.fetchRequestTemplates == [
                FetchRequestTemplate(
                    "all", entityName: "Book", predicate: "title == $TITLE", limit: 5,
                    includesSubentities: false,
                    includesPendingChanges: false, returnsDistinctResults: true)
            ])
        #expect(try ModelFile.read(Array(ModelFile.xml(of: model).utf8), file: "again") == model)
    }

    static let defaults: [(type: String, text: String, value: AttributeValue)] = [
        ("Integer 16", "-5", .integer(-5)), ("Integer 32", "0.0", .integer(0)),
        ("Integer 64", "9223372036854775807", .integer(.max)), ("Boolean", "YES", .boolean(true)),
        ("Boolean", "NO", .boolean(false)), ("Double", "0.1", .double(0.1)), ("Float", "0.1", .float(0.1)),
        (
            "Decimal", "12345678901234567890.125",
            .decimal(Decimal(string: "12345678901234567890.125") ?? .nan)
        ),
        ("String", "a &amp; b", .string("a & b")), ("URI", "https://a.example/", .uri("https://a.example/")),
        (
            "UUID", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f",
            .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID())
        ),
    ]

    @Test(arguments: defaults.indices)
    func `a default is read by its type and written back`(index: Int) throws {
        let (type, text, value) = Self.defaults[index]
        let model = try read(
            "<entity name='A'><attribute name='a' attributeType='\(type)' defaultValueString='\(text)'/></entity>"
        )
        #expect(model.entity(named: "A")?.attributes.first?.defaultValue == value)
        #expect(try ModelFile.read(Array(ModelFile.xml(of: model).utf8), file: "again") == model)
    }

    @Test func `dates have defaults and bounds in seconds`() throws {
        let model = try read(
            """
            <entity name="A"><attribute name="a" attributeType="Date" defaultDateTimeInterval="60.5"
            minDateTimeInterval="0" maxDateTimeInterval="1e9"/></entity>
            """)
        let attribute = try #require(model.entity(named: "A")?.attributes.first)
        #expect(attribute.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 60.5)))
        #expect(attribute.definition.validation == AttributeValidation(minimum: 0, maximum: 1e9))
        #expect(try ModelFile.read(Array(ModelFile.xml(of: model).utf8), file: "again") == model)
    }

    static let mistakes: [(inside: String, message: String)] = [
        ("<entity/>", "contents:3:1: entity: 'name' is missing."),
        (
            "<entity name='A'>\n <attribute name='a' attributeType='Colour'/></entity>",
            "contents:4:2: attribute 'a' of entity 'A': the attributeType 'Colour' is unknown."
        ),
        (
            "<entity name='A'><attribute name='a'/></entity>",
            "contents:3:18: attribute 'a' of entity 'A': 'attributeType' is missing."
        ),
        (
            "<entity name='A'><attribute attributeType='Date'/></entity>",
            "contents:3:18: attribute of entity 'A': 'name' is missing."
        ),
        (
            "<entity name='A'><attribute name='a' attributeType='Double' minValueString='low'/></entity>",
            "contents:3:18: attribute 'a' of entity 'A': 'minValueString' is 'low', which is not a number."
        ),
        (
            "<entity name='A'><attribute name='a' attributeType='Integer 16' defaultValueString='1.5'/></entity>",
            "contents:3:18: attribute 'a' of entity 'A': the default '1.5' is not of type Integer 16."
        ),
        (
            "<entity name='A'><attribute name='a' attributeType='Decimal' defaultValueString='1,5'/></entity>",
            "contents:3:18: attribute 'a' of entity 'A': the default '1,5' is not of type Decimal."
        ),
        (
            "<entity name='A'><attribute name='a' attributeType='String' derived='YES'/></entity>",
            "contents:3:18: attribute 'a' of entity 'A': 'derivationExpression' is missing."
        ),
        (
            "<entity name='A' isAbstract='perhaps'/>",
            "contents:3:1: entity 'A': 'isAbstract' is 'perhaps', neither YES nor NO."
        ),
        (
            "<entity name='A'><relationship name='r'/></entity>",
            "contents:3:18: relationship 'r' of entity 'A': 'destinationEntity' is missing."
        ),
        (
            "<entity name='A'><relationship name='r' destinationEntity='A' maxCount='some'/></entity>",
            "contents:3:18: relationship 'r': 'maxCount' is 'some', which is not a count."
        ),
        (
            "<entity name='A'><relationship name='r' destinationEntity='A' maxCount='2'/></entity>",
            "contents:3:18: relationship 'r' of entity 'A': maxCount is not 1, but toMany is not YES."
        ),
        (
            "<entity name='A'><relationship name='r' destinationEntity='A' deletionRule='Burn'/></entity>",
            "contents:3:18: relationship 'r': the deletionRule 'Burn' is unknown."
        ),
        (
            "<configuration name='C'/><configuration name='C'/>",
            "contents:3:26: configuration 'C': there are two configurations of this name."
        ),
        (
            "<entity name='A'><relationship name='r' destinationEntity='B'/></entity>",
            "contents: There is no entity 'B', which A.r names."
        ),
        (
            "<entity name='A'><attribute name='a' attributeType='Integer 16' defaultValueString='70000'/></entity>",
            "contents: The default of 'A.a' does not fit its type."
        ),
    ]

    @Test(arguments: mistakes.indices)
    func `a mistake is named with file, line and element`(index: Int) {
        #expect(message(Self.mistakes[index].inside) == Self.mistakes[index].message)
    }

    @Test func `other documents and binary files are told apart`() {
        #expect(throws: FormatError.self) { try ModelFile.read(Array("<database/>".utf8), file: "x") }
        let error = #expect(throws: FormatError.self) {
            try ModelFile.read(Array("bplist00".utf8), file: "x")
        }
        guard case .damagedPropertyList = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
