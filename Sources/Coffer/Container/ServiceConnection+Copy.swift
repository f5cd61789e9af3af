internal import CofferFormats
package import CofferLinux
public import CofferModel
package import CofferWire
public import FoundationEssentials

/// Making new stores of others.
extension ServiceConnection {
    /// A store that was made of another, with the same objects under ids of their own.
    public struct StoreCopy: Sendable, Equatable {
        /// The UUID of the store.
        public let formerUUID: UUID
        /// The UUID of the new one.
        public let uuid: UUID
        /// The last transaction in the new store's history.
        public let number: UInt64
        /// How many objects it has.
        public let objectCount: Int
        /// What is added to the keys of objects, by the name of their inheritance tree's root; nothing if
        /// they stayed.
        public let keyOffsets: [String: Int64]
        /// What stayed behind since no store can keep it, each a sentence.
        public let leftOut: [String]
        /// How many values are null since their files were missing before.
        public let missingValueCount: Int
        /// The first of them, each as object, attribute and file.
        public let missingValues: [String]

        /// What a message says, of so many objects.
        package init(_ made: CopiedStoreMessage, objectCount: UInt64) {
            (formerUUID, uuid, number) = (made.formerUUID, made.uuid, made.number)
            self.objectCount = Int(clamping: objectCount)
            keyOffsets = Dictionary(
                made.offsets.map { ($0.root, Int64(clamping: $0.offset)) }, uniquingKeysWith: { $1 })
            leftOut = made.leftOut
            missingValueCount = Int(clamping: made.missingCount)
            missingValues = made.missingValues
        }

        /// The key in the new store of the object that has `key` in the old one.
        public func key(of key: Int64, in entity: EntityDescription) -> Int64 {
            key + (keyOffsets[entity.rootName] ?? 0)
        }
    }

    /// Makes a new store of a type in a file at `path`, with all that is in a store at one moment, while
    /// others go on reading and writing.
    ///
    /// Objects keep values, relationships and their order, and what applications noted about the store
    /// stays; ids are new, as the result says. A copy in SQLite keeps history, too, unless it `isPlain`:
    /// then it has nothing but what Core Data itself would write. The file gets its name when it is whole
    /// and was read through: after a crash of either process there is nothing of that name, or all of it.
    /// If this process ends, the service stops the copy. The store stays as it is; `migratePersistentStore`
    /// takes it to another type in its place.
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - path: The file that is to be made, or the `.coffer` package of a document.
    ///   - type: How the new store keeps its objects; not `.memory`.
    ///   - configuration: The configuration that the store keeps.
    ///   - newConfiguration: The one that the new store keeps; `nil`: the same.
    ///   - application: Whose store it is; this process's own if `nil`.
    ///   - isPlain: Whether history, and what only Coffer keeps, stays behind.
    ///   - progress: Told now and then of objects copied and in all.
    /// - Returns: What was made.
    /// - Throws: `.refused` if the file exists already (`AlreadyExists`), the folder does not exist
    ///   (`NotFound`), objects or relationships have no place in the configuration
    ///   (`FailedPrecondition`), the disk is full (`ResourceExhausted`), or the store is damaged
    ///   (`DataLoss`). Then nothing is left.
    public func copyStore(
        named name: String, toFileAt path: String, type: StoreType,
        configuration: String = ManagedObjectModel.defaultConfiguration,
        asConfiguration newConfiguration: String? = nil, application: String? = nil, isPlain: Bool = false,
        progress: (_ copied: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(CofferError) -> StoreCopy {
        let (folder, fileName) = try Self.place(path, making: type)
        defer { DocumentPackage.removeIfEmpty(path) }
        // It is only read, so it may be on a disk that nothing can write to, or another program's.
        let description = StoreDescription(
            name: name, configuration: configuration, isReadOnly: true, mustExist: true)
        let (store, _) = try client.openStore(
            try description.request(application: application ?? ""), model: nil
        ) { _ in }
        defer { client.closeStore(store) }
        let request = CopyStoreRequestMessage(
            store: store.handle, fileName: fileName, place: folder.path, type: type, isPlain: isPlain,
            configuration: newConfiguration ?? "")
        let frame = try client.callForParts(
            .copyStore, request, of: store, descriptors: [folder.descriptor]
        ) { (part: CopyStoreReplyMessage?) throws(CofferError) in
            if let part { progress(part.copiedCount, part.totalCount) }
        }
        let reply: CopyStoreReplyMessage = try ChannelClient.message(frame)
        guard let made = reply.made else {
            throw .protocolViolation("The service copied '\(name)' and did not tell what was made.")
        }
        return StoreCopy(made, objectCount: reply.copiedCount)
    }

    /// Where the file goes that `path` names; a document's package is made.
    package static func place(
        _ path: String, making type: StoreType
    ) throws(CofferError) -> (folder: Folder, name: String) {
        do throws(LinuxError) {
            return try DocumentPackage.place(path, making: type)
        } catch {
            throw .refused(
                code: StatusCode.notFound.name, reason: "no_folder",
                text: "'\(FileLocation(path).folder)' cannot be used: \(error.reason).", place: path)
        }
    }
}
