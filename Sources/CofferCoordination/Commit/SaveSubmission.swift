package import CofferStores
package import CofferWire
internal import FoundationEssentials

/// One save on its way into a store.
///
/// A class, since it passes through many hands, and a copy of all that is in a request costs as much as
/// writing some rows.
package final class SaveSubmission: Sendable {
    /// What to write.
    package let request: SaveRequestMessage
    /// The application and process that write it, with the time and the kind of commit.
    package let origin: SaveOrigin
    /// Which session hands it in; 0 if none does.
    package let submitter: UInt64
    /// What is done in the transaction in place of the request, which is empty then.
    private let work: (@Sendable (StoreWriter) throws(StoreError) -> SaveExecution)?
    private let completion: @Sendable (SaveSubmission, SaveResult) -> Void

    /// A submission of a request, of its origin and, if it has one, its submitter.
    ///
    /// `completion` is called once with it, by the thread that led the commit, after the save is durable or
    /// has failed; it must not block.
    package init(
        request: SaveRequestMessage, origin: SaveOrigin, submitter: UInt64 = 0,
        completion: @escaping @Sendable (SaveSubmission, SaveResult) -> Void
    ) {
        self.request = request
        self.origin = origin
        self.submitter = submitter
        self.completion = completion
        work = nil
    }

    /// A submission that composes its save inside the transaction, from what it finds there.
    ///
    /// `work` may be called again after a rollback, of which it is not told: what it did then is undone. If
    /// it refuses, it writes nothing; `StoreWriter.mustStartAnew` means that it is called again.
    package init(
        by origin: SaveOrigin,
        completion: @escaping @Sendable (SaveSubmission, SaveResult) -> Void,
        work: @escaping @Sendable (StoreWriter) throws(StoreError) -> SaveExecution
    ) {
        request = SaveRequestMessage(store: 0, request: .unrepeated)
        self.origin = origin
        submitter = 0
        self.completion = completion
        self.work = work
    }
}

extension RequestIDMessage {
    /// The id of a request that is never sent again.
    package static let unrepeated = RequestIDMessage(
        client: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), sequence: 0, acknowledged: 0)
}

extension SaveSubmission {
    /// Says what became of it.
    package func complete(_ result: SaveResult) { completion(self, result) }

    /// Executes the save inside the writer's transaction.
    func execute(on writer: StoreWriter) throws(StoreError) -> SaveExecution {
        if let work { return try work(writer) }
        return try writer.execute(request, by: origin)
    }
}

/// What became of a save.
package typealias SaveResult = Result<SaveExecution, StoreError>
