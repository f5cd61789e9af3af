import CofferDBus
import CofferLinux
import Foundation
import TestSupport
import Testing

struct ValueTests {
    static let everyType: [DBusValue] = [
        .byte(200), .boolean(true), .boolean(false), .int16(-3), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.5), .string(""), .string("gr\u{FC}\u{DF} \u{1F642} \u{FFFF}"),
        .objectPath("/"), .objectPath("/a/b_1"), .signature(""), .signature("a{s(iv)}"), .bytes([]),
        .bytes([0, 255, 1]), .array("i", []), .array("i", [.int32(1), .int32(2)]),
        .array("as", [.strings(["x"]), .strings([])]), .array("(sv)", []),
        .array("ay", [.bytes([1]), .bytes([])]),
        .structure([.byte(1), .structure([.string("in")])]), .dictionary("u", "ay", []),
        .properties(["a": .int32(1), "b": .variant(.string("twice")), "c": .properties(["d": .bytes([9])])]),
        .variant(.variant(.array("v", [.variant(.double(1))]))),
    ]

    @Test func `a value of every type comes back as it was sent`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.echo()
        let client = try bus.client()
        #expect(try client.echo(service.uniqueName, Self.everyType) == Self.everyType)
        for value in Self.everyType {
            #expect(try client.echo(service.uniqueName, [.variant(value)]) == [.variant(value)])
        }
        service.close()
    }

    @Test(arguments: Seed.several(4))
    func `any body comes back as it was sent`(seed: Seed) throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.echo()
        let client = try bus.client()
        var random = RandomValues(seed: seed)
        for _ in 0..<100 {
            let body = (0..<Int.random(in: 0..<4, using: &random.generator)).map { _ in random.value(depth: 0)
            }
            #expect(try client.echo(service.uniqueName, body) == body, "seed \(seed)")
        }
        service.close()
    }

    @Test func `a mebibyte of bytes comes back`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.echo()
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try bus.client().echo(service.uniqueName, [.bytes(bytes)]) == [.bytes(bytes)])
        service.close()
    }

    @Test func `what D-Bus cannot carry is refused before it is sent`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let client = try bus.client()
        var deep = DBusValue.byte(1)
        for _ in 0..<40 { deep = .variant(deep) }
        let pipe = try Pipe.make()
        let refused: [[DBusValue]] = [
            [.string("a\0b")], [.objectPath("no")], [.objectPath("/a/")], [.signature("a")], [.structure([])],
            [.array("i", [.string("x")])], [.array("ii", [])], [.dictionary("v", "s", [])],
            [.dictionary("s", "i", [.init(.string("k"), .string("v"))])], [.variant(.structure([]))], [deep],
            [.bytes(Array(repeating: 0, count: 33 << 20))], Array(repeating: .byte(0), count: 256),
            Array(repeating: .unixFD(pipe.reader), count: 17),
        ]
        for body in refused {
            #expect(throws: DBusError.self) { try client.echo("org.freedesktop.DBus", body) }
        }
        #expect(throws: DBusError.invalidName("no")) { try client.echo("no", []) }
        #expect(throws: DBusError.invalidName("x y")) {
            try client.call("a.b", path: "/", interface: "a.b", member: "x y")
        }
        try client.ask(.ping)
    }

    @Test func `a body with too many values is answered with an error`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.echo()
        let client = try bus.client()
        let many = DBusValue.array("b", Array(repeating: .boolean(true), count: 300_000))
        do {
            _ = try client.echo(service.uniqueName, [many])
            Issue.record("the call must fail")
        } catch {
            guard case .remote(DBusErrorName.limitsExceeded, _) = error else { throw error }
        }
        #expect(try client.echo(service.uniqueName, [.byte(1)]) == [.byte(1)])
        service.close()
    }

    @Test func `a descriptor passes both ways and is closed once`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.echo()
        let client = try bus.client()
        let pipe = try Pipe.make()
        let link = try Self.link(of: pipe.reader.number)
        for _ in 0..<50 {
            let body = try client.echo(service.uniqueName, [.unixFD(pipe.reader), .array("h", [])])
            let returned = try #require(body.first?.descriptorValue)
            #expect(returned.number != pipe.reader.number)
            #expect(try Self.link(of: returned.number) == link)
        }
        service.close()
        // The pipe's two ends share their link.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { number in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == link
        }
        #expect(open.count == 2)
    }

    private static func link(of number: Int32) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
    }
}
