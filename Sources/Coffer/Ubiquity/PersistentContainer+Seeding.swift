internal import CofferLinux
internal import CofferModel
internal import CofferWire

/// Filling shared stores with what an application comes with.
extension PersistentContainer {
    /// Fills a shared store with the objects of a store file, those that everybody begins with: once,
    /// whatever happens.
    ///
    /// Two machines that do it at the same time have one copy in the end; what was cut off is done again and
    /// doubles nothing; what a user edited or deleted stays so. The objects come as from another machine, 500
    /// in one transaction. It may be called whenever the application begins: if it was done, it returns at
    /// once. A file that has another UUID is another seed, so a next version of it brings its objects beside
    /// those of the former one.
    ///
    /// It blocks. It works whether or not a user is signed in, for the content that is served then: an
    /// account's is filled when the application calls it with that account.
    ///
    /// - Parameters:
    ///   - path: The file, a store in SQLite of the same model, which is only read.
    ///   - name: The store's name; if `nil`, the first one that is shared.
    ///   - progress: Told now and then how many objects are in the store, of how many.
    /// - Returns: How many objects the file has; `nil` if it was done before.
    /// - Throws: `.refused` if the store is not shared (`not_shared`), the file is not there or is of
    ///   another model, the store needs an account (`no_account`), or its container does not answer
    ///   (`store_held`): to call again goes on; `.unavailable`.
    @discardableResult
    public func seed(
        from path: String, intoStoreNamed name: String? = nil,
        progress: (_ seeded: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(CofferError) -> Int? {
        let coordinator = try sharingCoordinator
        while true {
            do throws(CofferError) {
                return try coordinator.seed(
                    try coordinator.sharedStore(named: name), from: path, progress: progress)
            } catch {
                // The account became another one meanwhile, and so the content.
                guard case .refused(_, ErrorDetailMessage.storeExchanged, _, _) = error else { throw error }
                continue
            }
        }
    }
}

extension RemoteCoordinator {
    /// Fills a store from a file; `nil` if that was done before.
    package func seed(
        _ store: CoordinatedStoreDescription, from path: String,
        progress: (_ seeded: Int, _ total: Int) -> Void
    ) throws(CofferError) -> Int? {
        let place = FileLocation(path)
        let folder: Folder
        do throws(LinuxError) {
            folder = try Folder(at: place.folder)
        } catch {
            throw .refused(
                code: StatusCode.notFound.name, reason: "no_folder",
                text: "'\(place.folder)' cannot be used: \(error.reason).", place: path)
        }
        let request = SeedStoreRequestMessage(
            store: store.handle, fileName: place.name, place: folder.path)
        let frame = try client.callForParts(
            .seedStore, request, of: self.store(store.handle), descriptors: [folder.descriptor]
        ) { (part: SeedStoreReplyMessage?) throws(CofferError) in
            if let part { progress(Int(clamping: part.seededCount), Int(clamping: part.totalCount)) }
        }
        let reply: SeedStoreReplyMessage = try ChannelClient.message(frame)
        return reply.isRepeated ? nil : Int(clamping: reply.totalCount)
    }
}
