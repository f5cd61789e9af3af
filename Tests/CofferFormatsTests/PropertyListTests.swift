import CofferFormats
import FoundationEssentials
import TestSupport
import Testing

struct PropertyListTests {
    private let all = PropertyListValue.dictionary([
        "string": .string("text"), "unicode": .string("Grüße 😀"), "empty": .string(""),
        "data": .data([0, 1, 255]), "long": .data([UInt8](repeating: 7, count: 70_000)),
        "date": .date(Date(timeIntervalSinceReferenceDate: 627_059_590.722179)),
        "one": .integer(1), "true": .boolean(true), "false": .boolean(false), "real": .real(1),
        "numbers": .array([0, 255, 256, 65_535, 65_536, 1 << 40, .max, -1, .min].map { .integer($0) }),
        "large": .largeInteger(.max), "small": .real(-0.1), "reference": .reference(300), "null": .null,
        "nested": .dictionary(["array": .array([]), "dictionary": .dictionary([:])]),
        "many": .array((0..<300).map { .integer($0) }),
    ])

    @Test func `every kind of value survives`() throws {
        let bytes = BinaryPropertyListWriter.bytes(of: all)
        #expect(try BinaryPropertyListReader.read(bytes) == all)
        #expect(BinaryPropertyListWriter.bytes(of: all) == bytes)
    }

    @Test func `FoundationEssentials reads what is written, and is read`() throws {
        struct Sample: Codable, Equatable {
            var text: String
            var number: Int
            var reals: [Double]
            var data: Data
        }
        let sample = Sample(text: "ü", number: -70_000, reals: [0.5, 2], data: Data([1, 2]))
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let value = try BinaryPropertyListReader.read(Array(try encoder.encode(sample)))
        #expect(value.dictionary?["reals"] == .array([.real(0.5), .real(2)]))
        let bytes = BinaryPropertyListWriter.bytes(of: value)
        #expect(try PropertyListDecoder().decode(Sample.self, from: Data(bytes)) == sample)
    }

    @Test func `a circle of references is refused`() {
        // One array that holds itself.
        let file = Array("bplist00".utf8) + [0xA1, 0x00] + [0x08] + [0, 0, 0, 0, 0, 0, 1, 1]
        let trailer: [UInt8] =
            [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]
        #expect(throws: FormatError.damagedPropertyList(reason: "its values nest too deep")) {
            try BinaryPropertyListReader.read(file + trailer)
        }
    }

    @Test func `values that share their bytes are refused`() {
        // An array of two runs of data, the second inside the first: with more of them a short list would be
        // any number of bytes.
        var file = Array("bplist00".utf8) + [0xA2, 1, 2] + [0x4F, 0x10, 100] + [0x4F, 0x10, 97]
        file += [UInt8](repeating: 7, count: 97)
        let tableOffset = UInt8(file.count)
        file += [8, 11, 14] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3]
        file += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, tableOffset]
        #expect(throws: FormatError.damagedPropertyList(reason: "its values overlap")) {
            try BinaryPropertyListReader.read(file)
        }
    }

    @Test func `references that multiply are refused`() {
        // Twenty arrays, each ten times the next: 10^20 values in some 260 bytes.
        var objects: [UInt8] = []
        for i in 0..<20 { objects += [0xAA] + [UInt8](repeating: UInt8(i + 1), count: 10) }
        objects.append(0x09)
        var offsets: [UInt8] = []
        for offset in stride(from: 8, through: 8 + 20 * 11, by: 11) { offsets += [0, UInt8(offset)] }
        let tableOffset = 8 + objects.count
        var file = Array("bplist00".utf8) + objects + offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        file += [0, 0, 0, 0, 0, 0, 0, 21] + [0, 0, 0, 0, 0, 0, 0, 0]
        file += [0, 0, 0, 0, 0, 0, 0, UInt8(tableOffset)]
        #expect(throws: FormatError.damagedPropertyList(reason: "it has too many values")) {
            try BinaryPropertyListReader.read(file)
        }
    }

    @Test(arguments: Seed.several(1))
    func `damaged bytes throw or read, and never trap`(seed: Seed) {
        var random = seed.generator()
        let whole = BinaryPropertyListWriter.bytes(
            of: .dictionary([
                "a": .array([.integer(1), .string("ü")]), "b": .data([1, 2, 3]), "c": .real(1),
            ]))
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                bytes.removeLast(Int.random(in: bytes.indices, using: &random))
            }
            // Most do not read, for reasons that are all one here.
            if let value = try? BinaryPropertyListReader.read(bytes) {
                _ = BinaryPropertyListWriter.bytes(of: value)
            }
        }
    }

    @Test func `a property list in XML reads`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
              <key>a</key><array><integer>-3</integer><real>2</real><true/><false/></array>
              <key>b</key><data>
                Y29m ZmVy
              </data>
              <key>c</key><date>2001-01-01T00:01:00Z</date>
              <key>d</key><string>a &amp; b</string>
            </dict></plist>
            """
        let value = try XMLPropertyListReader.read(Array(text.utf8), file: "x.plist")
        #expect(
            value
                == .dictionary([
                    "a": .array([.integer(-3), .real(2), .boolean(true), .boolean(false)]),
                    "b": .data(Array("coffer".utf8)), "c": .date(Date(timeIntervalSinceReferenceDate: 60)),
                    "d": .string("a & b"),
                ]))
    }

    @Test(arguments: [
        "<plist/>", "<dict/>", "<plist><integer>x</integer></plist>", "<plist><dict><string/></dict></plist>",
        "<plist><dict><key>a</key></dict></plist>", "<plist><odd/></plist>",
        "<plist><date>now</date></plist>",
        "<plist><data>?</data></plist>",
    ])
    func `a property list in XML that is wrong names its place`(text: String) throws {
        let error = try #require(throws: FormatError.self) {
            try XMLPropertyListReader.read(Array(text.utf8), file: "x.plist")
        }
        #expect(error.description.hasPrefix("x.plist:1:"))
    }
}
