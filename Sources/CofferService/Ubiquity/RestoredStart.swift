import CofferLinux
import CofferStores
import CofferWire
import Synchronization

/// A backup with which an account's store begins again, instead of with nothing.
///
/// Shared. The exchange of the store's content uses it once, and reports its outcome here.
final class RestoredStart: Sendable {
    private let replacement: StoreReplacement
    private let reply = Mutex<ReplaceStoreReplyMessage?>(nil)
    private let result = ConditionLock<Result<Void, ServiceError>?>(nil)

    init(_ replacement: StoreReplacement) { self.replacement = replacement }

    /// Puts it where the account's store begins.
    func move(to folder: Folder, now: Double) throws(ServiceError) {
        do throws(StoreError) {
            let number = try replacement.move(to: folder, now: now)
            reply.withLock { $0 = ReplaceStoreReplyMessage(uuid: replacement.uuid, number: number) }
        } catch {
            throw .store(error)
        }
    }

    /// Notes that it is not where the store begins, after all.
    func withdraw() { reply.withLock { $0 = nil } }

    /// Says what came of the exchange.
    func end(_ outcome: Result<Void, ServiceError>) {
        result.withLock { $0 = outcome }
        result.broadcast()
    }

    /// Waits for that.
    ///
    /// - Throws: Why it does not serve; `.late` if that is not known in time.
    func wait(timeout: Duration) throws(ServiceError) -> ReplaceStoreReplyMessage {
        guard let outcome = result.wait(timeout: timeout, until: { $0 }) else { throw .late }
        try outcome.get()
        guard let reply = reply.withLock({ $0 }) else {
            throw .denied("An account signed in or out meanwhile: nothing was replaced.")
        }
        return reply
    }
}

extension StoreLives {
    /// The start that is set for an account's store that is about to begin again; `nil` if none is set.
    func takeStart(_ key: StoreKey) -> RestoredStart? {
        starts.withLock { $0.removeValue(forKey: key) }
    }
}
