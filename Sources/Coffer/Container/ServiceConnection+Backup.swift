internal import CofferFormats
internal import CofferLinux
public import CofferModel
internal import CofferWire
public import FoundationEssentials

/// Copying stores while they are used.
extension ServiceConnection {
    /// A copy of a store.
    public struct Backup: Sendable, Equatable {
        /// The store's UUID, and so the copy's.
        public let uuid: UUID
        /// The last transaction in it.
        public let number: UInt64
        /// Bytes, with the files beside it.
        public let byteCount: UInt64

        /// A finished backup: the store's UUID, its last transaction and the size of the copy.
        package init(uuid: UUID, number: UInt64, byteCount: UInt64) {
            (self.uuid, self.number, self.byteCount) = (uuid, number, byteCount)
        }
    }

    /// Copies a store, as it is at one moment, into a file at `path`, while others go on reading and writing.
    ///
    /// The service checks the copy before the file gets its name: after a crash of either process, what was
    /// there before is there still, or the whole copy is. All other work of the disk comes first. Values
    /// that are in files beside the store are copied into a folder beside the copy; or with `isOneFile`,
    /// and over the system bus or out of a sandbox, into the copy itself; `replaceStore` takes either. If
    /// the service is lost meanwhile, the copy begins again. (Core Data has no such thing: applications
    /// copy files, without what is in the log beside them.)
    ///
    /// A file that is there gives way with `replaces` only; `NAME.coffer` is a document's package, in which
    /// the copy is the store. `progress` is told now and then of bytes copied and in all, if the service
    /// writes the file.
    /// - Returns: What was copied.
    /// - Throws: `.refused` if the store or the folder does not exist (`NotFound`), the file exists already
    ///   (`AlreadyExists`) or is a store in use (`FailedPrecondition`), the disk is full
    ///   (`ResourceExhausted`), or the store is damaged (`DataLoss`); then no part of a copy is left.
    public func backUpStore(
        named name: String, toFileAt path: String,
        configuration: String = ManagedObjectModel.defaultConfiguration, application: String? = nil,
        replacing replaces: Bool = false, asOneFile isOneFile: Bool = false,
        progress: (_ copied: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(CofferError) -> Backup {
        let isPackage = DocumentPackage.isNamed(by: path)
        let type = isPackage ? try type(ofStoreNamed: name, configuration, application) : .sqlite
        let (folder, fileName) = try Self.place(path, making: type)
        defer { DocumentPackage.removeIfEmpty(path) }
        let target = try BackupTarget(fileName, in: folder, replaces: replaces)
        // It is only read, so it may be on a disk that nothing can write to, or another program's.
        let description = StoreDescription(
            name: name, configuration: configuration, isReadOnly: true, mustExist: true)
        let (store, _) = try client.openStore(
            try description.request(application: application ?? ""), model: nil
        ) { _ in }
        defer { client.closeStore(store) }
        let request = BackupStoreRequestMessage(
            store: store.handle, fileName: target.name, place: target.folder.path, replaces: replaces,
            isOneFile: isOneFile)
        let frame = try client.callForParts(
            .backupStore, request, of: store, descriptors: [target.folder.descriptor]
        ) { (part: BackupStoreReplyMessage?) throws(CofferError) in
            if let part { progress(part.copiedByteCount, part.totalByteCount) }
        }
        let reply: BackupStoreReplyMessage = try ChannelClient.message(frame)
        if let copy = frame.payload.descriptors.first { try target.keep(copy) }
        return Backup(uuid: reply.uuid, number: reply.number, byteCount: reply.byteCount)
    }

    private func type(
        ofStoreNamed name: String, _ configuration: String, _ application: String?
    ) throws(CofferError) -> StoreType {
        try stores(ofAllApplications: application != nil).first {
            $0.name == name && $0.configuration == configuration
                && (application == nil || $0.application == application)
        }?.type ?? .sqlite
    }
}

/// Where a copy of a store goes.
private struct BackupTarget {
    let folder: Folder
    let name: String
    let replaces: Bool

    private var path: String { folder.path(of: name) }

    init(_ name: String, in folder: Folder, replaces: Bool) throws(CofferError) {
        (self.name, self.folder, self.replaces) = (name, folder, replaces)
        if name.isEmpty { throw unfit("name the file that is to be made") }
        try checkPlace()
    }

    /// Checks that nothing of another store can be in the place, as the service does for itself if it
    /// writes the copy.
    private func checkPlace() throws(CofferError) {
        if let companion = CompanionName(name) { throw unfit(companion.reason) }
        let isClosed = try translating { () throws(LinuxError) in
            for closed in Folder.serviceFolders() where try folder.isWithin(closed) { return true }
            return false
        }
        if isClosed { throw unfit("a service keeps its stores in that folder: choose another one") }
    }

    /// Writes a copy that has no name.
    func keep(_ copy: OwnedDescriptor) throws(CofferError) {
        try checkPresent()
        try translating { () throws(LinuxError) in
            let part = try PartFile(".\(name).part", in: folder)
            do throws(LinuxError) {
                try part.descriptor.writeAll(of: copy)
                let lockName = name + ".lock"
                let lock = try folder.exists(lockName) ? try LockFile.acquire(lockName, in: folder) : nil
                try part.finish(as: name, replacing: replaces)
                withExtendedLifetime(lock) {}
            } catch {
                try part.remove()
                throw error
            }
        }
    }

    /// Whether what has the name already can give way.
    private func checkPresent() throws(CofferError) {
        let (facts, log) = try translating { () throws(LinuxError) in
            (try folder.facts(of: name), try folder.facts(of: name + "-wal"))
        }
        guard let facts else { return }
        switch facts.kind {
        case .file: break
        case .folder: throw unfit("it is a folder: name a file in it")
        case .symbolicLink, .other: throw unfit("it is not a regular file")
        }
        if let log, log.byteCount > 0 {
            throw unfit("it has changes in a log beside it, as a store in use has")
        }
    }

    private func unfit(_ detail: String) -> CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "unfit_target",
            text: "No copy can be put at '\(path)': \(detail).", place: path)
    }

    private func translating<Result>(
        _ body: () throws(LinuxError) -> Result
    ) throws(CofferError) -> Result {
        do throws(LinuxError) {
            return try body()
        } catch {
            let code: StatusCode = error.isTaken ? .alreadyExists : .internal
            let taken = "'\(path)' exists already: choose another name, or have it replaced ('--force')."
            throw .refused(
                code: code.name, reason: error.isTaken ? "already_exists" : "io",
                text: error.isTaken ? taken : "\(error)", place: path)
        }
    }
}
