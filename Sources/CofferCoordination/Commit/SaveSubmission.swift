package import CofferStores
package import CofferWire

/// One save on its way into a store.
///
/// A class, since it passes through many hands, and a copy of all that is in a request costs as much as
/// writing some rows.
package final class SaveSubmission: Sendable {
    /// What to write.
    package let request: SaveRequestMessage
    /// Who writes it.
    package let origin: SaveOrigin
    /// Which session hands it in; 0 where none does.
    package let submitter: UInt64
    private let completion: @Sendable (SaveSubmission, SaveResult) -> Void

    /// A submission of a request, of its origin and, where it has one, its submitter.
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
    }
}

extension SaveSubmission {
    /// Says what became of it.
    package func complete(_ result: SaveResult) { completion(self, result) }

    /// Executes the save inside the writer's transaction.
    func execute(on writer: StoreWriter) throws(StoreError) -> SaveExecution {
        try writer.execute(request, by: origin)
    }
}

/// What became of a save.
package typealias SaveResult = Result<SaveExecution, StoreError>
