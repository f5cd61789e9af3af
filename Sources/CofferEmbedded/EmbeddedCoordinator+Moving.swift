import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// How an embedded store is to be moved.
struct EmbeddedMove: Sendable {
    /// Told of objects copied and in all; `false` stops it.
    typealias Progress = @Sendable (_ copied: UInt64, _ total: UInt64) -> Bool

    /// The new file; `nil`: the old one's place and name.
    var path: String?
    /// How the new store keeps its objects.
    var type: StoreType
    /// SQLite options of the new store.
    var pragmas: [String: String] = [:]
    /// How long contexts that have something to save are waited for.
    var wait = Duration.seconds(10)
    /// Called with how far the move has come; the move ends if the answer is `false`.
    var progress: Progress = { _, _ in true }
}

extension EmbeddedCoordinator {
    /// Goes on with a store in another file, with its contexts, and those of all other coordinators of this
    /// process that have it open.
    func move(storeNamed name: String, _ move: EmbeddedMove) throws(CofferError)
        -> ServiceConnection.StoreCopy
    {
        guard let description = stores.first(where: { $0.name == name }) else {
            throw .unknown(kind: "embedded store", name: name)
        }
        let successor = try translating { () throws(StoreError) in
            defer { if let path = move.path { DocumentPackage.removeIfEmpty(path) } }
            let place = try NewPlace(move, of: name, moving: store(description.handle).file)
            let successor = try run(move, to: place, of: store(description.handle))
            // Only readers may still have the old file open. What cannot be removed now goes when the store
            // is opened.
            if place.isInPlace { try? StoreMove.finish(name, in: place.folder, wait: .seconds(5)) }
            return successor
        }
        return ServiceConnection.StoreCopy(
            successor.moved, objectCount: UInt64(clamping: successor.objectCount))
    }

    private func run(
        _ move: EmbeddedMove, to place: NewPlace, of store: PersistentStore
    ) throws(StoreError) -> StoreSuccessor {
        store.prepareMove(wait: move.wait)
        let sqlDebug = sqlDebug
        return try store.move { file throws(StoreError) in
            let outcome = try place.make(of: file) { copied, total in
                move.progress(UInt64(clamping: copied), UInt64(clamping: total))
            }
            do throws(StoreError) {
                var options = StoreOptions()
                (options.type, options.mustExist, options.pragmas) = (move.type, true, move.pragmas)
                options.sqlDebug = sqlDebug
                options.missingValues = MissingValues.toStandardError()
                // Not through `SharedStores.open`: callers that open the old store there wait for this.
                let opened = try PersistentStore(
                    file: StoreFile.open(
                        in: place.folder, fileName: place.fileName, model: file.model,
                        configuration: file.configuration, options: options))
                SharedStores.share(opened)
                return StoreSuccessor(
                    opened, CopiedStoreMessage(outcome), objectCount: outcome.objectCount)
            } catch {
                // The first error is the one to tell.
                _ = try? StoreFile.remove(place.fileName, in: place.folder)
                throw error
            }
        }
    }

    /// Finishes moves in place that a crash has interrupted, unless a process has the store open.
    static func finishMoves(of name: String, in folder: Folder) throws(StoreError) {
        do throws(StoreError) {
            try StoreMove.finish(name, in: folder)
        } catch .lockedByOther {
            // The process that has it open goes on with the file that counts.
        }
    }
}

/// Where a moved store goes.
private struct NewPlace: Sendable {
    let folder: Folder
    let fileName: String
    let type: StoreType
    /// Set if the new file is in the folder of the old one and has its name but for the ending, so that only
    /// one of them can stay.
    private let inPlace: StoreMove?

    var isInPlace: Bool { inPlace != nil }

    /// - Throws: `malformedRequest` if the types do not fit; `readOnly` if the old file would have to go but
    ///   may only be read.
    init(_ move: EmbeddedMove, of name: String, moving file: StoreFile) throws(StoreError) {
        let ownName = name + move.type.fileSuffix
        let home = file.home
        type = move.type
        if let path = move.path {
            (folder, fileName) = try EmbeddedCoordinator.place(path, making: move.type)
        } else if let home {
            (folder, fileName) = (home.folder, ownName)
        } else {
            throw .malformedRequest("a store in memory has no place where it could stay: name a file")
        }
        guard let home, let old = file.type, fileName == ownName,
            home.fileName == name + old.fileSuffix,
            try Self.isSame(folder, home.folder)
        else {
            inPlace = nil
            return
        }
        if file.isReadOnly { throw .readOnly(path: file.path) }
        var options = StoreOptions()
        options.environment = file.environment
        inPlace = try StoreMove(
            of: name, in: folder, from: old, to: move.type, configuration: file.configuration,
            options: options)
    }

    private static func isSame(_ one: Folder, _ other: Folder) throws(StoreError) -> Bool {
        do throws(LinuxError) {
            guard try one.isWithin(other) else { return false }
            return try other.isWithin(one)
        } catch {
            throw StoreError(error)
        }
    }

    func make(
        of file: StoreFile, _ progress: @escaping StoreCopy.Progress
    ) throws(StoreError) -> StoreCopy.Outcome {
        if let inPlace { return try inPlace.make(of: file, progress: progress) }
        var options = StoreCopy.Options()
        options.closedFolders = Folder.serviceFolders()
        return try StoreCopy(of: file, as: type, options: options).run(
            as: fileName, in: folder, progress: progress)
    }
}
