internal import CofferLinux
package import CofferStores
internal import Synchronization

/// A backup on its way to become the content of a shared store, and the caller that waits for that.
///
/// Shared. Once it was given up it changes nothing any more, however long its turn takes to come.
package final class Restoration: Sendable {
    private enum State {
        /// Its turn has not come, or comes again.
        case waiting
        /// It is being written.
        case begun
        /// It is written, up to a transaction, or never will be.
        case ended(Result<UInt64, StoreError>)
        case givenUp
    }

    /// What it holds.
    let content: RestoredContent
    private let state = ConditionLock(State.waiting)

    /// A restoration of what a backup holds.
    package init(_ content: RestoredContent) { self.content = content }

    /// Notes that its turn has come; `false` if it is not wanted any more.
    func begin() -> Bool {
        state.withLock { state in
            if case .givenUp = state { return false }
            state = .begun
            return true
        }
    }

    /// Notes that nothing of it was written, and that it is tried again.
    func retreat() {
        state.withLock { state in
            if case .begun = state { state = .waiting }
        }
        state.broadcast()
    }

    /// Notes what came of it, the number of the last transaction.
    func end(_ result: Result<UInt64, StoreError>) {
        state.withLock { state in
            switch state {
            case .waiting, .begun: state = .ended(result)
            case .ended, .givenUp: break
            }
        }
        state.broadcast()
    }

    /// Whether it is not wanted any more.
    var isGivenUp: Bool { state.withLock { if case .givenUp = $0 { true } else { false } } }

    /// Waits until it is written, and gives it up if its turn has not come by then.
    ///
    /// - Returns: The number of the store's last transaction; `nil` if it was given up.
    /// - Throws: `StoreError` if it cannot be written.
    package func wait(timeout: Duration) throws(StoreError) -> UInt64? {
        let inTime = state.wait(timeout: timeout) { Self.result(of: $0) }
        let isOver = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .givenUp
            return true
        }
        if isOver { return nil }
        // What is being written ends: as soon as the store's work does, at the latest.
        return try (inTime ?? state.wait { Self.result(of: $0) }).get()
    }

    private static func result(of state: State) -> Result<UInt64, StoreError>? {
        if case .ended(let result) = state { result } else { nil }
    }
}
