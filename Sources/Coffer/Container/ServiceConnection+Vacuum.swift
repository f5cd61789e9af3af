public import CofferModel
internal import CofferWire

/// Making stores smaller.
extension ServiceConnection {
    /// What became of a store's file that was made smaller.
    public struct Vacuumed: Sendable, Equatable {
        /// Bytes of the file and its log before.
        public let formerByteCount: UInt64
        /// Bytes of both now.
        public let byteCount: UInt64

        /// From the sizes before and now, in bytes.
        package init(formerByteCount: UInt64, byteCount: UInt64) {
            (self.formerByteCount, self.byteCount) = (formerByteCount, byteCount)
        }
    }

    /// Makes the file of a store as small as it can be, while contexts go on reading; their saves wait.
    ///
    /// Much of a file may be empty after many objects were deleted; the service gives such pages back bit
    /// by bit, and this does it at once, and packs the others. It takes as much room again on the disk, for
    /// as long as it lasts. Whatever stops it, a crash, a full disk or the end of this process, the store
    /// is as it was. Contexts that are pinned to a state lose it. A binary or XML store is written as a
    /// whole with each save, and has nothing to give back. (Core Data does it if a store is opened with
    /// `NSSQLiteManualVacuumOption`.)
    ///
    /// `progress` is told now and then of bytes written and about how many there will be; it must not ask the
    /// service itself.
    /// - Returns: The sizes before and now.
    /// - Throws: `.refused` if no such store exists (`NotFound`), if it may not be written, and if the disk
    ///   is full (`ResourceExhausted`).
    public func vacuumStore(
        named name: String, configuration: String = ManagedObjectModel.defaultConfiguration,
        application: String? = nil, progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(CofferError) -> Vacuumed {
        let description = StoreDescription(name: name, configuration: configuration, mustExist: true)
        let (store, _) = try client.openStore(
            description.request(application: application ?? ""), model: nil
        ) { _ in }
        defer { client.closeStore(store) }
        let request = VacuumStoreRequestMessage(store: store.handle)
        let reply = try client.callForParts(
            .vacuumStore, request, of: store, reply: VacuumStoreReplyMessage.self
        ) { part in
            if let part { progress(part.doneByteCount, part.totalByteCount) }
        }
        return Vacuumed(formerByteCount: reply.formerByteCount, byteCount: reply.byteCount)
    }
}
