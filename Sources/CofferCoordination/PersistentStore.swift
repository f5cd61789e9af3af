package import CofferModel
package import CofferStores
package import CofferWire
package import FoundationEssentials
import Synchronization

/// One store file with its commit queue, its readers and its feed, for all who use it.
///
/// Shared by the workers. Calls block their thread, never Swift's pool.
package final class PersistentStore: Sendable {
    /// The store's file, its model and schema.
    package let file: StoreFile
    /// What happened in the store since it was opened.
    package let statistics = StoreStatistics()
    private let queue: CommitQueue
    private let readers: ReaderPool
    private let feed: Feed

    /// Opens the store over `file`.
    package init(file: StoreFile) throws(StoreError) {
        self.file = file
        readers = ReaderPool(file: file)
        let feed = Feed(number: file.lastTransactionNumber)
        self.feed = feed
        let statistics = statistics
        queue = CommitQueue(writer: try file.makeWriter()) { batch in
            statistics.count(batch)
            feed.deliver(batch)
        }
    }
}

extension PersistentStore {
    /// The store's UUID, which names it in ids and tokens.
    package var uuid: UUID { file.uuid }
    /// The model.
    package var model: ManagedObjectModel { file.model }
    /// The number of the last transaction that was delivered.
    package var number: UInt64 { feed.number }

    /// Tells `listener` of each commit from now on, until `removeListener`; says the number that it follows.
    package func addListener(_ listener: any StoreListener) -> (id: Int, number: UInt64) {
        feed.add(listener)
    }

    /// Calls the listener no more.
    package func removeListener(_ id: Int) {
        feed.remove(id)
    }

    /// Fetches rows, ids, dictionaries or a count.
    package func fetch(_ request: FetchRequestMessage) throws(StoreError) -> FetchReplyMessage {
        statistics.fetches.add(1, ordering: .relaxed)
        return try readers.withReader { reader throws(StoreError) in try reader.fetch(request) }
    }

    /// Rows by id.
    package func rows(_ request: RowsRequestMessage) throws(StoreError) -> RowsReplyMessage {
        statistics.faults.add(request.primaryKeys.count, ordering: .relaxed)
        return try readers.withReader { reader throws(StoreError) in try reader.rows(request) }
    }

    /// The objects at the other end of a to-many relationship.
    package func relationship(
        _ request: RelationshipRequestMessage
    ) throws(StoreError) -> RelationshipReplyMessage {
        statistics.faults.add(request.primaryKeys.count, ordering: .relaxed)
        return try readers.withReader { reader throws(StoreError) in try reader.relationship(request) }
    }

    /// Transactions after a number.
    package func history(_ request: HistoryRequestMessage) throws(StoreError) -> HistoryReplyMessage {
        try readers.withReader { reader throws(StoreError) in try reader.history(request) }
    }

    /// Hands in a save; its completion is called by whoever leads the commit.
    package func submit(_ submission: SaveSubmission) {
        queue.submit(submission)
    }

    /// Hands in work for the writer that is no save.
    package func perform(_ work: @escaping @Sendable (StoreWriter) -> Void) {
        queue.perform(work)
    }
}
