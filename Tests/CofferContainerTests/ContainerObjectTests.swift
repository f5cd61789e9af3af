import CofferContainer
import CofferLinux
import CofferMerge
import TestSupport
import Testing

struct ContainerObjectTests {
    private static let content = Array("registers, registers and more registers".utf8)
    private static let identities: [ObjectIdentity] = [
        .marker(ContainerID(high: .max, low: 1)), .keys(KeyID(number: 5)),
        .log(PeerID(7), folds: 1...UInt64.max), .baseline(PeerID(0), number: 0), .part,
        .model,
        .data,
    ]

    @Test(arguments: identities, [0, 41, 4_000])
    func `an object is read as it was packed`(identity: ObjectIdentity, byteCount: Int) throws {
        let object = ContainerObject(identity, content: [UInt8](repeating: 65, count: byteCount))
        let (name, bytes) = object.packed()
        #expect(try ContainerObject(reading: bytes) == object)
        #expect(try ContainerObject(reading: bytes, named: name) == object)
        #expect(name.identity == identity)
    }

    @Test func `an object that is cut short anywhere is refused`() {
        let (_, bytes) = ContainerObject(.log(PeerID(7), folds: 1...2), content: Self.content)
            .packed()
        for count in bytes.indices {
            #expect(throws: ObjectFault.self, "\(count) bytes") {
                _ = try ContainerObject(reading: Array(bytes.prefix(count)))
            }
        }
    }

    @Test func `an object of which a bit has changed is refused`() {
        let (_, bytes) = ContainerObject(.part, content: Self.content).packed()
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: ObjectFault.self, "bit \(bit)") { _ = try ContainerObject(reading: damaged) }
        }
    }

    @Test func `bytes after an object are noticed`() {
        let (_, bytes) = ContainerObject(.part, content: Self.content).packed()
        #expect(throws: ObjectFault.damaged) { _ = try ContainerObject(reading: bytes + [0]) }
    }

    @Test func `a renamed object says what it is`() throws {
        let (name, bytes) = ContainerObject(.part, content: Self.content).packed()
        let (other, _) = ContainerObject(.part, content: []).packed()
        #expect(throws: ObjectFault.misnamed(is: name)) {
            _ = try ContainerObject(reading: bytes, named: other)
        }
    }

    @Test func `a placeholder and a later format are told from damage`() {
        #expect(throws: ObjectFault.short(byteCount: 0)) { _ = try ContainerObject(reading: []) }
        #expect(throws: ObjectFault.foreign) {
            _ = try ContainerObject(reading: [UInt8](repeating: 0, count: 4096))
        }
        var (_, bytes) = ContainerObject(.part, content: []).packed()
        bytes[4] = 2
        #expect(throws: ObjectFault.newer(version: 2)) { _ = try ContainerObject(reading: bytes) }
    }

    @Test func `any bytes are read or refused, and no more is taken than they may have`() {
        var random = Seed.printed(for: "Mutants of objects").generator()
        let (_, bytes) = ContainerObject(.log(PeerID(7), folds: 1...2), content: Self.content)
            .packed()
        for _ in 0..<5_000 {
            var mutant = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                mutant[Int.random(in: mutant.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if mutant != bytes {
                #expect(throws: ObjectFault.self) { _ = try ContainerObject(reading: mutant) }
            }
        }
    }

    @Test func `the command that people have names an object as we do`() throws {
        let (name, bytes) = ContainerObject(.model, content: Self.content).packed()
        try withTemporaryFolder { path in
            try Folder(at: path).replace("object", with: bytes)
            let command = "printf m-%s.coffer $(sha256sum <'\(path)/object' | cut -c1-40) >'\(path)/name'"
            let shell = try ChildProcess("sh", arguments: ["-c", command])
            #expect(try shell.waitForExit() == .code(0))
            let text = String(decoding: try Folder(at: path).read("name", limit: 200), as: UTF8.self)
            #expect(text == name.description)
        }
    }
}
