internal import CofferFormats
internal import CofferLinux
public import CofferModel
internal import CofferWire

/// Removing and replacing stores.
///
/// If other processes have the store open, each of them is asked first: its contexts post
/// `storesWillChange`, and what their handlers save is in the old file before that goes. A process that
/// does not answer within `wait`, or ends, is not waited for longer. Then the contexts of all processes
/// post `storesDidChange`. Call these methods from a thread that no context with unsaved changes waits for.
///
/// Core Data takes a file away from its other processes without a word, and they go on writing into a file
/// that no longer has a name.
extension ServiceConnection {
    /// Deletes the files of a store.
    ///
    /// One that others have open is removed with `isEvenIfOpen` only: then they are asked, waited for as long
    /// as `wait` says, at most a minute, and parted from it.
    /// - Throws: `.refused` if it is open, does not exist, or belongs to another owner.
    public func removeStore(
        named name: String, configuration: String = ManagedObjectModel.defaultConfiguration,
        application: String? = nil, evenIfOpen isEvenIfOpen: Bool = false, wait: Duration = .seconds(10)
    ) throws(CofferError) {
        let name = StoreNameMessage(application: application ?? "", configuration: configuration, name: name)
        let request = RemoveStoreRequestMessage(
            name: name, isEvenIfOpen: isEvenIfOpen, waitMilliseconds: Self.milliseconds(wait))
        _ = try client.call(.removeStore, request, reply: EmptyMessage.self)
    }

    /// Puts a copy of the file at `path` in the place of a store's file: a backup, or the store in a
    /// document's package `NAME.coffer`.
    ///
    /// The file is a store that no process has open, so that nothing is in a log beside it; it keeps its
    /// UUID, and so the ids of its objects. Large values that `backUpStore` put into a folder beside it
    /// come along, but not over the system bus or out of a sandbox: there the backup has to be one file.
    /// The service of all users opens no file of a user's, so it is sent a copy in memory that this process
    /// pays for; of at most 1 GiB. If no store has that name yet, the copy becomes a new store, as with
    /// Core Data's `replacePersistentStore`; code that takes names from people checks them first, as
    /// `coffer store replace` does, since a mistyped name makes a store too. Its history begins again,
    /// behind all that the store had: a reader with a token from before is told to read everything again.
    /// After a crash at any moment either the old file or the whole new one is there.
    ///
    /// Of a store whose content is shared with other machines `shared` has to say what becomes of that.
    /// - Returns: The number that its history begins with; if the file was made the content, that of the
    ///   store's last transaction.
    /// - Throws: `.refused` with the reason `shared_content` if `shared` has to be said, and `not_live` if
    ///   the store does not have all of the account's content yet; `.refused` if the file is not a store,
    ///   is damaged, or has another model than that of the processes that have the store open; then no
    ///   process was asked, and nothing has changed. `ResourceExhausted` for a file that is too large for
    ///   the service of all users.
    @discardableResult
    public func replaceStore(
        named name: String, withFileAt path: String,
        configuration: String = ManagedObjectModel.defaultConfiguration, application: String? = nil,
        wait: Duration = .seconds(10), shared: SharedReplacement? = nil
    ) throws(CofferError) -> UInt64 {
        let name = StoreNameMessage(application: application ?? "", configuration: configuration, name: name)
        let request = ReplaceStoreRequestMessage(
            name: name, waitMilliseconds: Self.milliseconds(wait), sharedReplacement: shared?.message)
        let (folder, fileName): (Folder, String)
        do throws(LinuxError) { (folder, fileName) = try DocumentPackage.place(path) } catch {
            throw Self.unreadable(path, error)
        }
        let file = try Self.open(fileName, in: folder, path)
        let values = try Self.values(of: fileName, in: folder)
        do throws(CofferError) {
            return try replace(request, with: [file] + [values?.descriptor].compactMap(\.self))
        } catch .refused(_, ErrorDetailMessage.notSealed, _, _) {
            // Nothing has happened yet.
            return try replace(request, with: [try Self.sealedCopy(of: file, path)])
        }
    }

    private func replace(
        _ request: ReplaceStoreRequestMessage, with descriptors: [OwnedDescriptor]
    ) throws(CofferError) -> UInt64 {
        try client.call(
            .replaceStore, request, descriptors: descriptors, reply: ReplaceStoreReplyMessage.self
        ).number
    }

    /// A copy of a file that can no longer be changed.
    private static func sealedCopy(of file: OwnedDescriptor, _ path: String) throws(CofferError)
        -> OwnedDescriptor
    {
        do throws(LinuxError) {
            let copy = try MemfdBuilder()
            guard try file.facts().byteCount <= CofferLinux.Limits.sealedMemory else {
                throw .bufferFull(limit: CofferLinux.Limits.sealedMemory)
            }
            while case let piece = try file.read(upTo: Limits.copiedPiece, at: copy.byteCount), !piece.isEmpty
            {
                try copy.append(piece)
            }
            return try copy.seal()
        } catch .bufferFull(let limit) {
            throw .refused(
                code: StatusCode.resourceExhausted.name, reason: "too_large",
                text:
                    "'\(path)' is too large for the service of all users: at most \(limit >> 20) MiB may take a store's place.",
                place: path)
        } catch {
            throw unreadable(path, error)
        }
    }

    static func milliseconds(_ wait: Duration) -> UInt32 {
        UInt32(clamping: max(1, wait.wholeNanoseconds / 1_000_000))
    }

    private static func open(
        _ name: String, in folder: Folder, _ path: String
    ) throws(CofferError) -> OwnedDescriptor {
        let (file, log): (OwnedDescriptor, FileFacts?)
        do throws(LinuxError) {
            (file, log) = (try folder.openFile(name), try folder.facts(of: name + "-wal"))
        } catch {
            throw unreadable(path, error)
        }
        guard let log, log.byteCount > 0 else { return file }
        throw .refused(
            code: StatusCode.failedPrecondition.name, reason: "unfit_replacement",
            text: "'\(path)-wal' holds changes that are not in the file yet: open and close it once.",
            place: path)
    }

    /// The folder with the values that a store keeps in files; `nil` without one.
    private static func values(of fileName: String, in folder: Folder) throws(CofferError) -> Folder? {
        let place = SupportFolder(of: fileName).values
        do throws(LinuxError) {
            return try folder.exists(place) ? try folder.folder(place) : nil
        } catch {
            throw unreadable("\(folder.path)/\(place)", error)
        }
    }

    private static func unreadable(_ path: String, _ error: LinuxError) -> CofferError {
        .refused(
            code: StatusCode.notFound.name, reason: "no_file",
            text: "'\(path)' cannot be read: \(error.reason).",
            place: path)
    }
}
