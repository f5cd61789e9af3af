import CofferContainer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import Synchronization

/// An account's own store that is filled from its container, unseen, while another one serves.
///
/// Shared.
final class StoreBuilder: Sendable {
    private struct State {
        var sharing: UbiquitousStore?
        var isOver = false
    }

    private let store: PersistentStore
    private let state = Mutex(State())

    /// Begins to fill the store of a file.
    ///
    /// - Parameters:
    ///   - file: The file, which nothing else has open.
    ///   - name: What the store is called in its container.
    ///   - carrier: Where the container is.
    ///   - environment: For the work on it; its `didShow` is called, too.
    ///   - whole: Called whenever everything that is known of in the container is in the store.
    /// - Throws: `StoreError` if it cannot be begun.
    init(
        _ file: StoreFile, named name: String, over carrier: any ContainerCarrier,
        in environment: UbiquitousStore.Environment, whole: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        store = try PersistentStore(file: file) { _ in }
        var environment = environment
        let didShow = environment.didShow
        let shared = SharedWeak()
        environment.didShow = {
            didShow()
            if shared.builder?.status?.progress == .isWhole { whole() }
        }
        let sharing = try UbiquitousStore(store, named: name, over: carrier, in: environment)
        state.withLock { $0.sharing = sharing }
        shared.builder = self
        // What was done before anybody could be told.
        sharing.hurry()
    }

    /// How far it is.
    var status: UbiquityStatus? { state.withLock { $0.sharing?.status } }

    /// Looks at the container now.
    func hurry() { state.withLock { $0.sharing }?.hurry() }

    /// Joins what served meanwhile, and waits until that is done.
    ///
    /// - Returns: Whether it is, in time.
    func adopt(_ content: AdoptableContent, timeout: Duration) -> Bool {
        let done = ConditionLock(false)
        guard let sharing = state.withLock({ $0.sharing }) else { return false }
        sharing.adopt(content) {
            done.withLock { $0 = true }
            done.broadcast()
        }
        return done.wait(timeout: timeout) { $0 ? true : nil } ?? false
    }

    /// Ends it when no caller can be told that its log could not be moved into the file.
    func stop() {
        // It is read when the file opens again.
        do throws(StoreError) { try end() } catch { return }
    }

    /// Ends it; what was filled stays in the file.
    ///
    /// - Throws: `StoreError` if its log could not be moved into the file, which is done later then.
    func end() throws(StoreError) {
        let sharing: UbiquitousStore? = state.withLock { state in
            if state.isOver { return nil }
            state.isOver = true
            return state.sharing.take()
        }
        guard let sharing else { return }
        sharing.stop()
        try store.close()
    }
}

extension UbiquityStatus {
    /// Whether everything that is known of in the container is in the store.
    var isWhole: Bool { condition.isExchanged && unreadCount == 0 && waiting.isEmpty && failure == nil }

    /// How far a store is that is filled beside another one.
    var progress: BuildingProgress {
        BuildingProgress(in: condition, isWhole: isWhole, listedCount: listedCount)
    }
}

/// A builder that is told of, and not kept.
private final class SharedWeak: Sendable {
    private let content = Mutex(Weak<StoreBuilder>())

    var builder: StoreBuilder? {
        get { content.withLock { $0.object } }
        set { content.withLock { $0.object = newValue } }
    }
}
