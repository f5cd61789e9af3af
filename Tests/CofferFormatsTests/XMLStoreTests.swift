import CofferFormats
import FoundationEssentials
import TestSupport
import Testing

struct XMLStoreTests {
    private static func read(_ inside: String) throws(FormatError) -> AtomicStoreContent {
        try XMLStoreReader.read(Array("<database>\(inside)</database>".utf8), file: "test.xml")
    }

    private static func value(_ type: String, _ text: String) throws -> AtomicStoreValue? {
        let attribute = "<attribute name=\"a\" type=\"\(type)\">\(text)</attribute>"
        return try read("<object type=\"E\" id=\"z1\">\(attribute)</object>").objects.first?.values["a"]
    }

    @Test
    func `values are of the types that the file gives them`() throws {
        #expect(try Self.value("string", "5 &amp; 6") == .text("5 & 6"))
        #expect(try Self.value("int16", "-32768") == .integer(-32768))
        #expect(try Self.value("int64", "9223372036854775807") == .integer(.max))
        #expect(try Self.value("bool", "1") == .boolean(true))
        #expect(try Self.value("float", "19.6") == .real(19.6))
        #expect(try Self.value("float", "-inf") == .real(-.infinity))
        #expect(try Self.value("double", "1e39") == .real(1e39))
        #expect(try Self.value("decimal", "0.1000000000000000000001") == .decimal("0.1000000000000000000001"))
        #expect(try Self.value("date", "157766400.5") == .date(157_766_400.5))
        #expect(try Self.value("binary", " AQI=\n") == .bytes([1, 2]))
    }

    @Test(arguments: [
        ("int16", "32768"), ("int32", ""), ("bool", "yes"), ("double", "wide"), ("decimal", "nan"),
        ("binary", "?"), ("script", "1"), ("decimal", "1e999"), ("decimal", "1e200"), ("date", "inf"),
        ("date", "nan"), ("date", "0x10"), ("double", "nan"), ("double", "0x1p3"), ("double", "1e999"),
        ("float", "1e39"), ("float", "nan"),
    ])
    func `a value that is not of its type is refused with its place`(type: String, text: String) {
        #expect {
            try Self.value(type, text)
        } throws: { error in
            guard case FormatError.malformed(let place, _) = error else { return false }
            return place.line == 1 && place.element == "attribute 'a'"
        }
    }

    @Test(arguments: [
        "<object type=\"E\"/>", "<object id=\"z1\"/>", "<thing/>",
        "<object type=\"E\" id=\"z1\"/><object type=\"E\" id=\"z1\"/>",
        "<object type=\"E\" id=\"z1\"><relationship name=\"r\" idrefs=\"z2\"/></object>",
        "<object type=\"E\" id=\"z1\"><relationship name=\"r\"/><relationship name=\"r\"/></object>",
        "<object type=\"E\" id=\"z1\"><attribute type=\"string\"/></object>",
        "<databaseInfo><UUID>none</UUID></databaseInfo>",
        "<databaseInfo><nextObjectID>-1</nextObjectID></databaseInfo>",
        "<databaseInfo><metadata><plist><array/></plist></metadata></databaseInfo>",
    ])
    func `a graph that does not hold together is refused`(inside: String) {
        #expect {
            try Self.read(inside)
        } throws: { error in
            if case FormatError.malformed = error { true } else { false }
        }
    }
}

@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct XMLStoreFixtureTests {
    private static func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: "\(FixtureFolder.required())/xml/\(path)")))
    }

    @Test
    func `a real store reads with its objects, their order and their references`() throws {
        let file = "cocoadev-vehicles/2-two-pictures.xml"
        let content = try XMLStoreReader.read(Self.bytes(file), file: file)
        #expect(content.uuid == UUID(uuidString: "343C8D7F-A000-42C4-8463-43FA1E5EF3FB"))
        #expect(content.lastObjectNumber == 104)
        #expect(content.metadata.isEmpty)
        #expect(content.objects.map(\.id) == ["z103", "z104", "z102"])
        let vehicle = try #require(content.objects.last)
        #expect(vehicle.entity == "VEHICLE")
        #expect(vehicle.values["year"] == .integer(2006))
        #expect(vehicle.references["vehiclepictures"] == ["z104", "z103"])
    }

    @Test(arguments: [
        "cocoadev-vehicles/1-original.xml", "cocoadev-vehicles/3-after-remove.xml", "mslice/template.mslice",
        "mslice/Al_from_template.mslice", "mslice/Al_roundtrip.mslice", "mslice/bare_template.mslice",
        "mslice/CeO2_ortho_rotated.mslice",
    ])
    func `every real store reads`(path: String) throws {
        let content = try XMLStoreReader.read(Self.bytes(path), file: path)
        #expect(!content.objects.isEmpty)
        #expect(content.objects.contains { !$0.values.isEmpty })
    }
}
