import CofferWire

/// A request that names a store by its handle.
protocol StoreRequest: WireMessage {
    /// Handle that OpenStore gave.
    var store: UInt32 { get set }
}

extension StoreRequest {
    /// A copy of the request for the handle that the service uses for the store at present.
    func naming(_ handle: UInt32) -> Self {
        var request = self
        request.store = handle
        return request
    }
}

extension FetchRequestMessage: StoreRequest {}
extension RowsRequestMessage: StoreRequest {}
extension RelationshipRequestMessage: StoreRequest {}
extension SaveRequestMessage: StoreRequest {}
extension ReserveKeysRequestMessage: StoreRequest {}
extension HistoryRequestMessage: StoreRequest {}
extension ConsumerRequestMessage: StoreRequest {}
extension PurgeHistoryRequestMessage: StoreRequest {}
extension MetadataRequestMessage: StoreRequest {}
extension BackupStoreRequestMessage: StoreRequest {}
extension CopyStoreRequestMessage: StoreRequest {}
extension VacuumStoreRequestMessage: StoreRequest {}
extension SyncStatusRequestMessage: StoreRequest {}
extension ListConflictsRequestMessage: StoreRequest {}
extension ListViolationsRequestMessage: StoreRequest {}
extension UndoConflictRequestMessage: StoreRequest {}
extension SeedStoreRequestMessage: StoreRequest {}
extension PinRequestMessage: StoreRequest {}
