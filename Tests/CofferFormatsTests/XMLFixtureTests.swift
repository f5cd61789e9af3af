import CofferFormats
import FoundationEssentials
import TestSupport
import Testing

@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct XMLFixtureTests {
    static let stores = [
        "cocoadev-vehicles/1-original.xml", "cocoadev-vehicles/2-two-pictures.xml",
        "cocoadev-vehicles/3-after-remove.xml", "mslice/template.mslice", "mslice/Al_roundtrip.mslice",
    ]

    @Test(arguments: stores)
    func `an XML store reads, and metadata in it have hashes`(path: String) throws {
        let file = "\(try FixtureFolder.required())/xml/\(path)"
        let root = try XMLDocumentReader.read(Array(Data(contentsOf: URL(filePath: file))), file: file)
        #expect(root.name == "database")
        #expect(!root.children(named: "object").isEmpty)
        let information = try #require(root.children(named: "databaseInfo").first)
        // The oldest have no metadata.
        for metadata in information.children(named: "metadata").flatMap(\.children) {
            let values = try XMLPropertyListReader.value(in: metadata, file: file).dictionary ?? [:]
            let hashes = values["NSStoreModelVersionHashes"]?.dictionary ?? [:]
            #expect(!hashes.isEmpty)
            #expect(hashes.values.allSatisfy { $0.data?.count == 32 })
        }
    }
}
