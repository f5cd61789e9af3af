import CofferLinux
package import CofferStores
package import CofferWire
import Synchronization

/// The store that has the objects of another one now.
package struct StoreSuccessor: Sendable {
    /// It, open.
    package let store: PersistentStore
    /// How ids became others.
    package let moved: CopiedStoreMessage
    /// How many objects it has.
    package let objectCount: Int

    /// A store that was made of another, and is open.
    package init(_ store: PersistentStore, _ moved: CopiedStoreMessage, objectCount: Int) {
        (self.store, self.moved, self.objectCount) = (store, moved, objectCount)
    }
}

/// Calls `answer` when its last reference is released.
///
/// A listener that has something to save before a store is moved keeps it until that is done.
package final class MoveNotice: Sendable {
    private let answer: @Sendable () -> Void

    init(answer: @escaping @Sendable () -> Void) { self.answer = answer }

    deinit { answer() }
}

extension PersistentStore {
    /// Tells the listeners that the store is about to be moved, and waits, at most so long, until all have
    /// saved what they want to keep.
    package func prepareMove(wait: Duration) {
        let isAnswered = ConditionLock(false)
        feed.announceMove(
            MoveNotice {
                isAnswered.withLock { $0 = true }
                isAnswered.broadcast()
            })
        _ = isAnswered.wait(timeout: wait) { $0 ? true : nil }
    }

    /// Has another store made of this one, and lets its listeners go on with that.
    ///
    /// Saves wait meanwhile, and fail with `moved` from then on; reads do not wait.
    /// - Parameter make: Makes the other store; it saves nothing into this one.
    /// - Returns: The other store.
    /// - Throws: What `make` throws; then nothing has happened to this one. `copyUnderWay`.
    package func move(
        _ make: @escaping @Sendable (StoreFile) throws(StoreError) -> StoreSuccessor
    ) throws(StoreError) -> StoreSuccessor {
        guard !isBackingUp.exchange(true, ordering: .acquiring) else { throw .copyUnderWay(path: file.path) }
        defer { isBackingUp.store(false, ordering: .releasing) }
        let successor: StoreSuccessor
        if file.isReadOnly {
            successor = try make(file)
        } else {
            successor = try write { [file] _ throws(StoreError) in
                let successor = try make(file)
                file.place.leave()
                return successor
            }
        }
        feed.tellMove(to: successor)
        return successor
    }
}
