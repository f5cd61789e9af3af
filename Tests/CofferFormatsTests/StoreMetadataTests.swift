import CofferFormats
import CofferModel
import FoundationEssentials
import Testing

struct StoreMetadataTests {
    /// With all keys that Core Data writes, and values of all kinds under others; made with another
    /// implementation.
    private let sample = Hexadecimal.bytes(
        """
        62706c6973743030df10120102030405060708090a0b0c0d0e0f10111213141516171c1c1d1e231324262728292a2b5f
        101141434b6579636861696e56657273696f6e53426967544461746558496d706f72746564544c6973745f101d4e5350
        657273697374656e63654672616d65776f726b56657273696f6e5f10244e5350657273697374656e63654d6178696d75
        6d4672616d65776f726b56657273696f6e5f101e4e5353746f72654d6f64656c56657273696f6e436865636b73756d4b
        65795f10194e5353746f72654d6f64656c56657273696f6e4861736865735f101f4e5353746f72654d6f64656c566572
        73696f6e4861736865734469676573745f10204e5353746f72654d6f64656c56657273696f6e48617368657356657273
        696f6e5f101e4e5353746f72654d6f64656c56657273696f6e4964656e746966696572735b4e5353746f726554797065
        534e6567534f666655526174696f56556d6c6175745f10125f4e534175746f56616375756d4c6576656c100314000000
        000000000080000000000000053341c2b015c340000009a418191a1b10015178a0d01105e9545932686cd21f20212251
        4151424f1020000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f4f102000000000000000
        00000000000000000000000000000000000000000000000000545a476c6ea12551315653514c69746513ffffffffffff
        fffc08234000000000000000680047007200fc00df00650020d83dde0051320008002f00430047004c0055005a007a00
        a100c200de010001230144015001540158015e0165017a017c018d01960197019c019e01a001a101a201a501aa01af01
        b101b301d601f901fe02000202020902120213021c022d0000000000000201000000000000002c000000000000000000
        0000000000022f
        """)

    @Test func `all known keys are read`() throws {
        let metadata = try StoreMetadata(propertyList: sample)
        #expect(metadata.storeType == "SQLite")
        #expect(metadata.versionHashes == ["A": Array(0..<32), "B": [UInt8](repeating: 0, count: 32)])
        #expect(metadata.versionHashesVersion == 3)
        #expect(metadata.digest == "ZGln")
        #expect(metadata.checksum == "Y2hl")
        #expect(metadata.versionIdentifiers == ["1"])
        #expect(metadata.frameworkVersion == 1_513)
        #expect(metadata.maximumFrameworkVersion == 1_513)
        #expect(metadata.autoVacuumLevel == "2")
    }

    @Test func `all other keys are kept, whatever their kind`() throws {
        let metadata = try StoreMetadata(propertyList: sample)
        #expect(
            metadata.other == [
                "ACKeychainVersion": .integer(3), "Imported": .boolean(true), "Off": .boolean(false),
                "Date": .date(Date(timeIntervalSinceReferenceDate: 627_059_590.5)), "Ratio": .real(2),
                "Umlaut": .string("Grüße 😀"), "Big": .largeInteger(1 << 63 + 5), "Neg": .integer(-4),
                "List": .array([.integer(1), .string("x"), .array([]), .dictionary([:])]),
            ])
        let written = metadata.propertyList()
        #expect(try StoreMetadata(propertyList: written) == metadata)
        #expect(try BinaryPropertyListReader.read(written) == BinaryPropertyListReader.read(sample))
    }

    @Test func `a known key of an unknown kind is kept too`() throws {
        let values = PropertyListValue.dictionary([
            "NSStoreModelVersionIdentifiers": .array([.string("1"), .integer(2)]),
            "NSStoreModelVersionHashesVersion": .string("3"),
        ])
        let metadata = try StoreMetadata(propertyList: BinaryPropertyListWriter.bytes(of: values))
        #expect(metadata.versionIdentifiers == nil)
        #expect(metadata.other.count == 2)
        let again = try BinaryPropertyListReader.read(metadata.propertyList()).dictionary ?? [:]
        #expect(again["NSStoreModelVersionIdentifiers"] == .array([.string("1"), .integer(2)]))
        #expect(again["NSStoreModelVersionHashesVersion"] == .string("3"))
    }

    @Test func `hashes that are none are an error`() {
        let lists: [PropertyListValue] = [
            .array([]), .dictionary(["NSStoreModelVersionHashes": .string("x")]),
            .dictionary(["NSStoreModelVersionHashes": .dictionary(["A": .integer(1)])]),
        ]
        for list in lists {
            #expect(throws: FormatError.self) {
                try StoreMetadata(propertyList: BinaryPropertyListWriter.bytes(of: list))
            }
        }
    }

    @Test func `metadata of a new store have what Core Data asks for`() throws {
        let model = try ManagedObjectModel(entities: [EntityDefinition("Note")])
        let hashes = VersionHashes(of: model)
        let metadata = StoreMetadata(hashes: hashes, versionIdentifiers: ["1"], frameworkVersion: 1_347)
        let values = try BinaryPropertyListReader.read(metadata.propertyList()).dictionary ?? [:]
        #expect(
            values.keys.sorted() == [
                "NSPersistenceFrameworkVersion", "NSStoreModelVersionChecksumKey",
                "NSStoreModelVersionHashes",
                "NSStoreModelVersionHashesDigest",
                "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers", "NSStoreType",
                "_NSAutoVacuumLevel",
            ])
        #expect(try StoreMetadata(propertyList: metadata.propertyList()) == metadata)
    }
}
