internal import CofferStores

/// A store's file at one moment: in the open transaction of a writer, or as a reader sees it during saves.
struct FileMoment {
    let objects: StoreReader
    let history: HistoryReader
    /// The last transaction that is in it.
    let lastTransaction: UInt64

    /// The file as one connection sees it.
    init(objects: StoreReader, history: HistoryReader) throws(StoreError) {
        (self.objects, self.history) = (objects, history)
        lastTransaction = try history.lastNumber()
    }

    /// The file in the open transaction of a writer.
    init(of writer: StoreWriter) throws(StoreError) {
        (objects, history) = (try writer.batchReader(), try writer.historyReader())
        lastTransaction = writer.lastTransaction
    }
}
