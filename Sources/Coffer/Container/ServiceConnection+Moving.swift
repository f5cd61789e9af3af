internal import CofferLinux
public import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// Taking stores to other types.
extension ServiceConnection {
    /// Takes a store to another type in its place.
    ///
    /// Clients that have it open are told first, so that they can save; then its objects go into a new
    /// store of the same name, and the old file goes. Contexts go on: objects live on as faults with new
    /// ids, which `ContextNotification.didChangeIDs` tells, and with what was not saved of them, which the
    /// next save writes into the new store. History goes on behind its last number; tokens of before are
    /// too old. After a crash there is the old store or the whole new one. If it fails, or this process
    /// ends, the old one is as it was. To another model a store is taken by `migrateStore`.
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - type: What it becomes; not `.memory`.
    ///   - configuration: The configuration of the model that it keeps.
    ///   - application: Whose store it is; this process's own if `nil`.
    ///   - wait: How long the answers of clients that have it open are waited for.
    ///   - progress: Told now and then of objects copied and in all.
    /// - Returns: What was made, and how ids became others.
    /// - Throws: `.refused` if it is of that type already, is damaged, lacks values, or the disk is full.
    public func migratePersistentStore(
        named name: String, to type: StoreType,
        configuration: String = ManagedObjectModel.defaultConfiguration, application: String? = nil,
        wait: Duration = .seconds(10), progress: (_ copied: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(CofferError) -> StoreCopy {
        let request = MoveStoreRequestMessage(
            name: StoreNameMessage(
                application: application ?? "", configuration: configuration, name: name), type: type,
            waitMilliseconds: UInt32(clamping: wait.wholeNanoseconds / 1_000_000))
        let reply = try client.callForParts(.moveStore, request) { (part: CopyStoreReplyMessage) in
            progress(part.copiedCount, part.totalCount)
        }
        guard let made = reply.made else {
            throw .protocolViolation("The service moved '\(name)' and did not tell what was made.")
        }
        return StoreCopy(made, objectCount: reply.copiedCount)
    }
}
