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
            What applications noted comes first, then the store's type and UUID, which
            stay as they are, and the version hashes of its entities. With --embedded
            no model is needed: the metadata are read and changed in the file alone.

            Examples:
              coffer metadata Codes source='iso-codes 4.15' checked=
              coffer metadata Codes 'limits:=[10, 20.5, true]' --json
              coffer metadata Codes --format csv
              coffer metadata mac.sqlite author=me --embedded --adopt
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(
        help:
            "New values: 'key=text' (a number, flag or date stays one); 'key:=JSON'; 'key=' removes a key.",
        transform: MetadataAssignment.init(parsing:))
    var changes: [MetadataAssignment] = []
    @OptionGroup var options: StoreOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var adoption: AdoptionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            var changes: [String: MetadataValueMessage?] = [:]
            for change in self.changes { changes[change.key] = .some(change.value) }
            let metadata = try read(changes)
            let printer = output.printer(["kind", "key", "value"])
            for (key, value) in metadata.entries.sorted(by: { $0.key < $1.key }) {
                guard let value = MetadataValue(value) else { continue }
                try printer.print([.text("entry"), .text(key), OutputValue(value)])
            }
            try printer.print([.text("store"), .text("type"), .text(metadata.type)])
            try printer.print([.text("store"), .text("UUID"), .text(metadata.uuid.uuidString)])
            for (entity, hash) in metadata.versionHashes.sorted(by: { $0.key < $1.key }) {
                try printer.print([.text("versionHash"), .text(entity), .text(Base64.text(of: hash))])
            }
            try printer.finish()
        }
    }

    private func read(_ changes: [String: MetadataValueMessage?]) throws -> MetadataReplyMessage {
        let access = changes.isEmpty || reading.readOnly ? reading.access : .writing(adoption)
        guard options.embedded else {
            return try options.openServed(store, for: access).metadata(changing: changes)
        }
        if reading.readOnly, !changes.isEmpty {
            throw ToolError(.noPermission, "'\(store)' is opened for reading only (--read-only).")
        }
        return try options.opening(store, for: access) { _, _, adopts in
            try OpenedStore.Metadata.reply(ofFileAt: store, changing: changes, adopts: adopts)
        }
    }
}

/// `key=text`, `key:=JSON` or `key=` on the command line.
struct MetadataAssignment {
    let key: String
    /// `nil` removes the key.
    let value: MetadataValueMessage?

    init(parsing argument: String) throws {
        let assignment = try Assignment(parsing: argument)
        guard assignment.key.hasSuffix(":"), assignment.key.count > 1, let end = argument.firstIndex(of: "=")
        else {
            key = assignment.key
            value = assignment.value.map { MetadataValueMessage(text: $0) }
            return
        }
        key = String(assignment.key.dropLast())
        do throws(JSONFault) {
            let json = try JSONParser.value(of: Array(argument[argument.index(after: end)...].utf8))
            value = MetadataValue(json).map { MetadataValueMessage($0) }
        } catch {
            throw ValidationError("What stands behind '\(key):=' is not JSON: \(error).")
        }
    }
}

extension MetadataValue {
    /// A value of a JSON text; `nil` for null, also inside a list or an object.
    fileprivate init?(_ json: JSONValue) {
        switch json {
        case .null: return nil
        case .boolean(let truth): self = .boolean(truth)
        case .number(let digits):
            if let number = Int64(digits) {
                self = .integer(number)
            } else {
                self = .real(Double(digits) ?? .infinity)
            }
        case .text(let text): self = .string(text)
        case .list(let values): self = .array(values.compactMap { MetadataValue($0) })
        case .object(let values): self = .dictionary(values.compactMapValues { MetadataValue($0) })
        }
    }
}

extension OutputValue {
    /// A value of a store's metadata; bytes in base 64.
    fileprivate init(_ value: MetadataValue) {
        self =
            switch value {
            case .string(let text): .text(text)
            case .integer(let number): .integer(number)
            case .real(let number): number.isFinite ? .number(String(number)) : .text(String(number))
            case .boolean(let truth): .boolean(truth)
            case .date(let date): .text(DateText.text(of: date))
            case .data(let bytes): .text(Base64.text(of: bytes))
            case .array(let values): .list(values.map { OutputValue($0) })
            case .dictionary(let values):
                .record(values.sorted { $0.key < $1.key }.map { ($0.key, OutputValue($0.value)) })
            }
    }
}
