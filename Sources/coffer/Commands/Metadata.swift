import ArgumentParser
import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel
import CofferWire
import FoundationEssentials

/// `coffer metadata`: what a store says of itself.
struct Metadata: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a store's metadata, after changing what is given.",
        discussion: """
            Keys of applications come first, then the store's UUID and the version hashes of its entities.

            Examples:
              coffer metadata Codes source='iso-codes 4.15' checked=
              coffer metadata Codes --format csv
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "New texts by key; 'key=' removes a key.", transform: Assignment.init(parsing:))
    var changes: [Assignment] = []
    @OptionGroup var options: StoreOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            var changes: [String: String?] = [:]
            for change in self.changes { changes[change.key] = .some(change.value) }
            let metadata = try read(changes)
            let printer = output.printer(["kind", "key", "value"])
            for (key, value) in metadata.entries.sorted(by: { $0.key < $1.key }) {
                try printer.print([.text("entry"), .text(key), .text(value)])
            }
            try printer.print([.text("store"), .text("UUID"), .text(metadata.uuid.uuidString)])
            for (entity, hash) in metadata.versionHashes.sorted(by: { $0.key < $1.key }) {
                try printer.print([.text("versionHash"), .text(entity), .text(Base64.text(of: hash))])
            }
            try printer.finish()
        }
    }

    private func read(_ changes: [String: String?]) throws -> MetadataReplyMessage {
        if options.embedded {
            let coordinator = try options.openFile(store, mustExist: true, readOnly: reading.readOnly)
            let handle = coordinator.stores.first?.handle ?? 0
            return try coordinator.metadata(MetadataRequestMessage(store: handle, changes: changes))
        }
        let metadata = try options.openServed(store, readOnly: reading.readOnly).metadata(setting: changes)
        return MetadataReplyMessage(
            uuid: metadata.uuid, entries: metadata.entries, versionHashes: metadata.versionHashes)
    }
}
