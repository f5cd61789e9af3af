import CofferFormats
import CofferModel
import Testing

/// Models of Xcode before version 4, made here as that editor archived them.
struct ElementsTests {
    /// An archive under construction.
    private struct Archive {
        var objects: [PropertyListValue] = [.string("$null")]
        private var classes: [String: PropertyListValue] = [:]

        mutating func add(_ value: PropertyListValue) -> PropertyListValue {
            objects.append(value)
            return .reference(UInt64(objects.count - 1))
        }

        mutating func add(_ name: String, _ values: [String: PropertyListValue]) -> PropertyListValue {
            if classes[name] == nil { classes[name] = add(.dictionary(["$classname": .string(name)])) }
            return add(.dictionary(values.merging(["$class": classes[name] ?? .null]) { $1 }))
        }

        mutating func dictionary(_ values: [(String, PropertyListValue)]) -> PropertyListValue {
            let keys = values.map { add(.string($0.0)) }
            return add(
                "NSMutableDictionary", ["NS.keys": .array(keys), "NS.objects": .array(values.map(\.1))])
        }

        mutating func array(_ values: [PropertyListValue]) -> PropertyListValue {
            add("NSMutableArray", ["NS.objects": .array(values)])
        }

        /// What stands in an object's lists, by name.
        mutating func stereotypes(_ values: [(String, PropertyListValue)]) -> PropertyListValue {
            let members = values.map { ($0.0, add("XDUMLPropertyImp", ["_default": $0.1])) }
            let list = dictionary(members)
            let stereotype = add("XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": list])
            return dictionary([("XD_Stereotype", stereotype)])
        }

        mutating func entity(
            _ name: String, properties: [(String, PropertyListValue)] = [], links: [PropertyListValue] = [],
            values: [(String, PropertyListValue)] = []
        ) -> PropertyListValue {
            let label = add(.string(name))
            let owned = dictionary(properties)
            let generalizations = array(links)
            let stereotypes = stereotypes(values)
            return add(
                "XDPMEntity",
                [
                    "_name": label, "XDBucketForOwnedAttributesstorage": owned,
                    "XDBucketForGeneralizationsstorage": generalizations,
                    "XDBucketForStereotypesstorage": stereotypes,
                ])
        }

        mutating func attribute(_ name: String, _ values: [(String, PropertyListValue)]) -> (
            String, PropertyListValue
        ) {
            let label = add(.string(name))
            let stereotypes = stereotypes(values)
            return (
                name, add("XDPMAttribute", ["_name": label, "XDBucketForStereotypesstorage": stereotypes])
            )
        }

        mutating func bytes(_ entities: [(String, PropertyListValue)]) -> [UInt8] {
            let list = dictionary(entities)
            let package = add("XDModelPackage", ["XDBucketForClassesstorage": list])
            let root = add("XDPMModel", ["_xd_rootPackage": package])
            return BinaryPropertyListWriter.bytes(
                of: .dictionary([
                    "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
                    "$top": .dictionary(["root": root]), "$objects": .array(objects),
                ]))
        }
    }

    @Test func `attributes, parents and notes are read`() throws {
        var archive = Archive()
        let note = archive.dictionary([("k", archive.add(.string("v")))])
        let name = archive.attribute(
            "count",
            [
                ("XD_PAttK_attributeType", .integer(200)), ("XD_PPSK_isOptional", .boolean(true)),
                ("XD_PAttK_defaultValueAsString", archive.add(.string("7"))), ("XD_PPSK_userInfo", note),
                ("XD_PPSK_isIndexed", .boolean(true)),
            ])
        let parent = archive.entity("A", properties: [name], values: [("XD_PSK_isAbstract", .boolean(true))])
        let link = archive.add("XDUMLGeneralizationImp", ["_general": parent])
        let child = archive.entity("B", links: [link])
        let model = try ModelFile.read(archive.bytes([("A", parent), ("B", child)]), file: "elements")
        let entity = try #require(model.entity(named: "A")?.definition)
        #expect(entity.isAbstract)
        let expected = AttributeDefinition(
            "count", .integer32, isOptional: true, defaultValue: .integer(7), isIndexed: true,
            userInfo: ["k": "v"])
        #expect(entity.attributes == [expected])
        #expect(model.entity(named: "B")?.definition.superentity == "A")
    }

    @Test func `what is said under a name that is not known is passed over, and told of by that name`() throws
    {
        for (value, isTold) in [
            (PropertyListValue.boolean(true), true), (.boolean(false), false), (.null, false),
        ] {
            var archive = Archive()
            let attribute = archive.attribute(
                "a", [("XD_PAttK_attributeType", .integer(700)), ("XD_PPSK_news", value)])
            let entity = archive.entity("A", properties: [attribute], values: [("XD_PSK_news", value)])
            let bytes = archive.bytes([("A", entity)])
            let model = try ModelFile.read(bytes, file: "elements")
            #expect(model.entity(named: "A")?.attributes.map(\.name) == ["a"])
            let warnings = try ModelFile.warnings(bytes, file: "elements").map(\.description)
            #expect(warnings.count == (isTold ? 2 : 0))
            if isTold {
                #expect(warnings[0].contains("entity 'A': what its 'XD_PSK_news' says is not known"))
                #expect(warnings[1].contains("property 'A.a': what its 'XD_PPSK_news' says is not known"))
            }
        }
    }

    @Test func `a default of another type is passed over, and told of`() throws {
        var archive = Archive()
        let attribute = archive.attribute(
            "a",
            [
                ("XD_PAttK_attributeType", .integer(1_000)),
                ("XD_PAttK_defaultValueAsString", archive.add(.string("NO"))),
            ])
        let bytes = archive.bytes([("A", archive.entity("A", properties: [attribute]))])
        let model = try ModelFile.read(bytes, file: "elements")
        #expect(model.entity(named: "A")?.attributes.first?.defaultValue == .null)
        #expect(
            try ModelFile.warnings(bytes, file: "elements").map(\.reason) == [
                "its default 'NO' is of another type, and is passed over"
            ])
    }

    @Test func `fetch requests are passed over, and told of`() throws {
        var archive = Archive()
        let requests = archive.array([archive.add("XDPMFetchRequest", [:])])
        let bytes = archive.bytes([
            ("A", archive.entity("A", values: [("XD_PSK_fetchRequestsArray", requests)]))
        ])
        #expect(try ModelFile.read(bytes, file: "elements").entities.map(\.name) == ["A"])
        #expect(
            try ModelFile.warnings(bytes, file: "elements").map(\.reason) == [
                "its fetch requests are passed over"
            ])
    }

    @Test func `damage to any byte is an error or another model, and nothing else`() throws {
        var archive = Archive()
        let attribute = archive.attribute("a", [("XD_PAttK_attributeType", .integer(700))])
        let bytes = archive.bytes([("A", archive.entity("A", properties: [attribute]))])
        for place in bytes.indices {
            for value in [0, 0xff, bytes[place] ^ 1] where value != bytes[place] {
                var damaged = bytes
                damaged[place] = value
                _ = try? ModelFile.read(damaged, file: "elements")  // It throws FormatError alone.
            }
        }
    }
}
