import CofferFormats
import CofferLinux
import CofferModel
import Foundation
import TestSupport
import Testing

/// Files of whole stores, as they are and with random damage.
@Suite struct AtomicStoreFuzzTests {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Thing",
                attributes: [
                    AttributeDefinition("text", .string, isOptional: true),
                    AttributeDefinition("small", .integer16, isOptional: true),
                    AttributeDefinition("large", .integer64, isOptional: true),
                    AttributeDefinition("flag", .boolean, isOptional: true),
                    AttributeDefinition("real", .double, isOptional: true),
                    AttributeDefinition("narrow", .float, isOptional: true),
                    AttributeDefinition("exact", .decimal, isOptional: true),
                    AttributeDefinition("day", .date, isOptional: true),
                    AttributeDefinition("data", .binary, isOptional: true),
                    AttributeDefinition("link", .uri, isOptional: true),
                    AttributeDefinition("mark", .uuid, isOptional: true),
                ],
                relationships: [
                    RelationshipDefinition("parts", to: "Thing", inverse: "whole", isToMany: true),
                    RelationshipDefinition("whole", to: "Thing", inverse: "parts"),
                ])
        ])
    }

    /// A graph with a value of every type, and relationships.
    static func content() -> AtomicStoreContent {
        let whole = AtomicStoreObject(
            entity: "Thing", id: "z1",
            values: [
                "text": .text("<a & \"b\"> \r\n\t é"), "small": .integer(-7), "large": .integer(.min),
                "flag": .boolean(true), "real": .real(0.1), "narrow": .real(0.375),
                "exact": .decimal("-12.50"), "day": .date(700_000_000.25), "data": .bytes([0, 255, 7]),
                "link": .text("https://example.org/?a&b"),
                "mark": .text("0F0E0D0C-0B0A-0908-0706-050403020100"),
            ],
            references: ["parts": ["z3", "z2"]])
        let parts = ["z2", "z3"].map {
            AtomicStoreObject(
                entity: "Thing", id: $0, values: ["flag": .boolean(false)], references: ["whole": ["z1"]])
        }
        return AtomicStoreContent(
            uuid: UUID(uuidString: "7F0E0D0C-0B0A-0908-0706-050403020100"), lastObjectNumber: 9,
            metadata: ["key": .string("value"), "number": .integer(7), "list": .array([.data([1, 2, 3])])],
            objects: [whole] + parts)
    }

    /// What XML says of the graph: entities in upper case, properties in lower, nothing of empty lists.
    private static func folded(_ content: AtomicStoreContent) -> AtomicStoreContent {
        var content = content
        content.objects = content.objects.map { object in
            var object = object
            object.entity = object.entity.uppercased()
            object.references = object.references.filter { !$0.value.isEmpty }
            return object
        }
        return content
    }

    /// How many mutants a run has: `COFFER_FUZZ_MUTANTS` for a longer one.
    private static var mutantCount: Int {
        CurrentProcess.environment["COFFER_FUZZ_MUTANTS"].flatMap { Int($0) } ?? 3_000
    }

    @Test func `a binary store has what was written, in the same bytes each time`() throws {
        let bytes = try BinaryStoreWriter.bytes(of: Self.content(), file: "x")
        #expect(try BinaryStoreReader.read(bytes, file: "x") == Self.content())
        #expect(try BinaryStoreWriter.bytes(of: Self.content(), file: "x") == bytes)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x10
            #expect(throws: FormatError.self) { try BinaryStoreReader.read(damaged, file: "x") }
        }
    }

    @Test func `an XML store has what was written, under Core Data's names`() throws {
        let bytes = try XMLStoreWriter.bytes(of: Self.content(), model: Self.model(), file: "x")
        let read = try XMLStoreReader.read(bytes, file: "x")
        #expect(Self.folded(read) == Self.folded(Self.content()))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("<object type=\"THING\" id=\"z1\">"))
        #expect(
            text.contains(
                "<relationship name=\"parts\" type=\"0/0\" destination=\"THING\" idrefs=\"z3 z2\"></relationship>"
            ))
        #expect(
            text.contains("<relationship name=\"whole\" type=\"0/1\" destination=\"THING\"></relationship>"))
    }

    @Test(arguments: Seed.several(1))
    func `no damage to a binary store does more than make it unreadable`(seed: Seed) throws {
        var generator = seed.generator()
        let whole = try BinaryStoreWriter.bytes(of: Self.content(), file: "x")
        for _ in 0..<Self.mutantCount {
            let mutant = Self.mutant(of: whole, keeping: 52, &generator)
            // Behind the digest, which would refuse all of them.
            do throws(FormatError) {
                let content = try BinaryStoreReader.readPayload(mutant, file: "x")
                let again = try BinaryStoreWriter.bytes(of: content, file: "x")
                #expect(try BinaryStoreReader.read(again, file: "x").objects.count == content.objects.count)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test(arguments: Seed.several(1))
    func `no damage to an XML store does more than make it unreadable`(seed: Seed) throws {
        var generator = seed.generator()
        let whole = try XMLStoreWriter.bytes(of: Self.content(), model: Self.model(), file: "x")
        for _ in 0..<Self.mutantCount {
            let mutant = Self.mutant(of: whole, keeping: 0, &generator)
            do throws(FormatError) {
                let content = try XMLStoreReader.read(mutant, file: "x")
                #expect(content.objects.count <= 3)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    /// The bytes behind the first ones with a few of them changed, cut out, doubled or put elsewhere.
    private static func mutant(
        of whole: [UInt8], keeping kept: Int, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard bytes.count > kept else { return bytes }
            let place = Int.random(in: kept..<bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...16, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(place..<end)
            case 3:
                bytes.insert(
                    contentsOf: bytes[place..<end], at: Int.random(in: kept...bytes.count, using: &generator))
            default: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][Int.random(in: 0..<5, using: &generator)]
            }
        }
        return bytes
    }
}
