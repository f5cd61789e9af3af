import CofferLinux
import CofferSQLite
import CofferStores

/// Copies and checks of a store that are under way, which are not waited for once the store is to be
/// closed.
///
/// Shared.
final class BackgroundTasks: Sendable {
    private struct State: Sendable {
        var isOver = false
        var count = 0
        /// Connections on which one statement may take long.
        var interruptible: [Int: SQLiteInterruptHandle] = [:]
        var lastKey = 0
    }

    private let state = ConditionLock(State())

    /// Whether all of it is to end.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Carries work out, which asks `isOver` now and then.
    ///
    /// - Throws: `interrupted` if all is to end.
    func run<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        let mayBegin = state.withLock { state in
            if !state.isOver { state.count += 1 }
            return !state.isOver
        }
        guard mayBegin else { throw .interrupted }
        defer {
            state.withLock { $0.count -= 1 }
            state.broadcast()
        }
        return try body()
    }

    /// Carries out a statement of `connection` that may take long, and is interrupted if all is to end.
    ///
    /// - Throws: `interrupted`.
    func interruptibly<Result>(
        on connection: SQLiteConnection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let handle = connection.interruptHandle
        let key: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.lastKey += 1
            state.interruptible[state.lastKey] = handle
            return state.lastKey
        }
        guard let key else { throw .interrupted }
        defer { state.withLock { _ = $0.interruptible.removeValue(forKey: key) } }
        return try body()
    }

    /// Ends all of it, and allows nothing new to begin.
    func end() {
        state.withLock { $0.isOver = true }
        interrupt()
    }

    /// Waits until what was to end has ended.
    func waitUntilEnded() {
        // A statement that was about to begin is not interrupted.
        while state.wait(timeout: .milliseconds(20), until: { $0.count == 0 ? true : nil }) == nil {
            interrupt()
        }
    }

    private func interrupt() {
        for handle in state.withLock({ Array($0.interruptible.values) }) { handle.interrupt() }
    }
}
