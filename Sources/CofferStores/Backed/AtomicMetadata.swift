internal import CofferFormats
internal import CofferSQLite
internal import CofferWire

/// What the file of an atomic store says of it: Core Data's metadata, and two keys of ours among them.
struct AtomicMetadata {
    /// The packed model, for openings that bring none.
    private static let modelKey = "CofferModel"
    /// The number of the last transaction.
    private static let numberKey = "CofferTransaction"
    /// What the last saves were answered, for clients that send them again after a crash.
    private static let repliesKey = "CofferReplies"
    /// The packed models that the store was taken on from.
    private static let formerModelsKey = "CofferFormerModels"
    /// The copies that migrations have kept beside it, with their days.
    private static let backupsKey = "CofferBackups"

    /// What Coffer keeps for itself.
    static let ownKeys: Set<String> = [modelKey, numberKey, repliesKey, formerModelsKey, backupsKey]

    /// Whether Coffer wrote the file that has `values`.
    static func isOwn(_ values: [String: PropertyListValue]) -> Bool { values[modelKey]?.data != nil }

    /// What the file of another program gets with the first save.
    static let additions = ["two keys of Coffer's own in the metadata: its model and a number"]

    /// Core Data's, and applications'; `nil` if the file has none.
    var metadata: StoreMetadata?
    /// The model that the file keeps.
    var model: StoreModel?
    /// The number of its last transaction.
    var number: UInt64
    /// What its last saves were answered.
    var replies: [PropertyListValue]
    /// The packed models that it was taken on from.
    var formerModels: [[UInt8]]
    /// The copies that migrations have kept beside it, and the day of each.
    var backups: [String: Int64]
    /// Whether Coffer wrote the file.
    var isOwn: Bool
    /// Whether the file gets nothing that is Coffer's own.
    var isPlain = false

    init(of writer: StoreWriter, _ metadata: StoreMetadata) throws(StoreError) {
        self.metadata = metadata
        model = writer.file.model
        number = writer.lastTransaction
        replies = try writer.latestReplies()
        (formerModels, backups) = try translating { () throws(SQLiteError) in
            (try FormerModels.all(on: writer.connection), try BackupNotes.all(on: writer.connection))
        }
        isOwn = true
    }

    /// Reads what a file has.
    init(_ values: [String: PropertyListValue], path: String) throws(StoreError) {
        var values = values
        number = UInt64(max(0, values.removeValue(forKey: Self.numberKey)?.integer ?? 0))
        replies = values.removeValue(forKey: Self.repliesKey)?.array ?? []
        formerModels = (values.removeValue(forKey: Self.formerModelsKey)?.array ?? []).compactMap(\.data)
        backups = (values.removeValue(forKey: Self.backupsKey)?.dictionary ?? [:]).compactMapValues(\.integer)
        let packed = values.removeValue(forKey: Self.modelKey)?.data
        isOwn = packed != nil
        do throws(WireError) {
            model = try packed.map { bytes throws(WireError) in
                try StoreModel(packing: try ModelMessage.unpack(bytes))
            }
        } catch {
            throw .damaged(path: path, detail: "the model that it keeps cannot be read (\(error))")
        }
        if values.isEmpty { return }
        values["_NSAutoVacuumLevel"] = .string("2")
        values["NSStoreType"] = .string("SQLite")
        do throws(FormatError) {
            metadata = try StoreMetadata(
                propertyList: BinaryPropertyListWriter.bytes(of: .dictionary(values)))
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// What `values` of a file say, with another number of its last transaction.
    static func values(
        _ values: [String: PropertyListValue], number: UInt64
    ) -> [String: PropertyListValue] {
        var values = values
        values[numberKey] = .integer(Int64(clamping: number))
        return values
    }

    /// All of it, as the file has it.
    func dictionary() throws(FormatError) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        if let metadata {
            values = try BinaryPropertyListReader.read(metadata.propertyList()).dictionary ?? [:]
        }
        if isPlain { return values }
        if !replies.isEmpty { values[Self.repliesKey] = .array(replies) }
        if !formerModels.isEmpty { values[Self.formerModelsKey] = .array(formerModels.map { .data($0) }) }
        if !backups.isEmpty { values[Self.backupsKey] = .dictionary(backups.mapValues { .integer($0) }) }
        values[Self.numberKey] = .integer(Int64(clamping: number))
        if let model { values[Self.modelKey] = .data(model.bytes) }
        return values
    }
}
