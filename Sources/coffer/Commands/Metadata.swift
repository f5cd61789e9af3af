import ArgumentParser
import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials

/// `coffer metadata`: what a store says of itself.
struct Metadata: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a store's metadata, after changing what is given.",
        discussion: """
            Keys of applications come first, then the store's UUID and the version hashes of its entities.

            With --file the store is a file of SQLite, Core Data's XML or Coffer's binary form, which is not opened as a store: \
            no model is needed. All its metadata are shown with their types, and new values are of the type that --type names.

            Examples:
              coffer metadata Codes source='iso-codes 4.15' checked=
              coffer metadata Codes --format csv
              coffer metadata Codes.sqlite --file --type integer edition=4
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "New texts by key; 'key=' removes a key.", transform: Assignment.init(parsing:))
    var changes: [Assignment] = []
    @OptionGroup var options: StoreOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var adoption: AdoptionOptions
    @Flag(help: "Take the store as the path of a file, and do not open it as a store.") var file = false
    @Option(help: "With --file, the type of new values: \(MetadataValueType.names).")
    var type: MetadataValueType?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if type != nil, !file { throw ValidationError("--type needs --file.") }
        if file, options.model != nil { throw ValidationError("--file needs no model.") }
    }

    func run() throws {
        try reporting {
            if file { return try runWithFile() }
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

    private func runWithFile() throws {
        if reading.readOnly, !changes.isEmpty {
            throw ToolError(.usage, "With --read-only nothing can be changed.")
        }
        var values: [String: PropertyListValue?] = [:]
        for change in changes {
            let type = type ?? .string
            values[change.key] = .some(try change.value.map { try type.value($0, of: change.key) })
        }
        var options = options
        options.embedded = true  // So a copy that is made first is one of the file.
        let metadata = try options.opening(store, for: .writing(adoption)) { _, _, adopts in
            try EmbeddedCoordinator.fileMetadata(
                path: store, setting: FileMetadata.Changes(values), adopts: adopts)
        }
        let printer = output.printer(["key", "type", "value"])
        for (key, value) in metadata.values.sorted(by: { $0.key < $1.key }) {
            try printer.print([.text(key), .text(value.kind), .text(try value.text())])
        }
        try printer.finish()
    }

    private func read(_ changes: [String: String?]) throws -> MetadataReplyMessage {
        let access = changes.isEmpty || reading.readOnly ? reading.access : .writing(adoption)
        if options.embedded {
            let coordinator = try options.openFile(store, mustExist: true, for: access)
            let handle = coordinator.stores.first?.handle ?? 0
            return try coordinator.metadata(MetadataRequestMessage(store: handle, changes: changes))
        }
        let metadata = try options.openServed(store, for: access).metadata(setting: changes)
        return MetadataReplyMessage(
            uuid: metadata.uuid, entries: metadata.entries, versionHashes: metadata.versionHashes)
    }
}
