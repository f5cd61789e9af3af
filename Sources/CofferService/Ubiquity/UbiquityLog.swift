import CofferContainer
import CofferLinux
import CofferUbiquity
import Logging
import Synchronization

/// How much is logged of stores that several machines share: Core Data's
/// `-com.apple.coredata.ubiquity.logLevel`.
///
/// Shared.
final class UbiquityLog: Sendable {
    /// The highest level: 0 nothing but failures, 1 also what becomes of containers, 2 also what comes from
    /// other machines, 3 also each round of work.
    static let highestLevel = 3

    private let current = Atomic<Int>(1)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    var level: Int {
        get { current.load(ordering: .relaxed) }
        set { current.store(newValue, ordering: .relaxed) }
    }

    /// Logs what happened to a store.
    func note(_ event: UbiquityEvent, of store: String) {
        let name: Logger.Metadata = ["store": "\(store)"]
        switch event {
        case .condition(let condition):
            if level >= 1 {
                logger.notice("A shared store's container is '\(condition.word)' now", metadata: name)
            }
        case .peerChanged(let peer):
            if level >= 1 {
                logger.notice("A shared store goes on as '\(peer)', since it was copied", metadata: name)
            }
        case .imported(let count):
            if level >= 2 { logger.notice("\(count) objects came from other machines", metadata: name) }
        case .failed(let reason):
            logger.error("A shared store cannot go on: \(reason)", metadata: name)
        }
    }

    /// Logs how far a store is after a round of work.
    func note(_ status: UbiquityStatus, of store: String) {
        guard level >= 3 else { return }
        logger.notice(
            "A shared store was looked after",
            metadata: [
                "store": "\(store)", "objects": "\(status.objectCount)", "folds": "\(status.lastFold)",
                "unexported": "\(status.unwrittenFolds)", "waiting": "\(status.waiting.count)",
                "quarantined": "\(status.quarantined.count)", "digest": "\(status.digest)",
            ])
    }
}

extension ServiceCore {
    /// What the work on a shared store needs to know, and what it reports to.
    func ubiquityEnvironment(of store: ServedStore) -> UbiquitousStore.Environment {
        let now = now
        var environment = UbiquitousStore.Environment {
            WallTime(secondsSince2001: now())
        }
        environment.patience = containerPatience
        let name = store.key.description
        let weak = Weak(store)
        environment.didShow = { [weak self, ubiquityLog] in
            guard let self, let store = weak.object else { return }
            if let status = store.sharing.status { ubiquityLog.note(status, of: name) }
            logPlace(of: store)
            sharingChanged(store)
            followContainer(of: store)
        }
        environment.report = { [ubiquityLog] event in
            if case .imported(let count) = event { weak.object?.sharing.noteImport(of: count) }
            ubiquityLog.note(event, of: name)
        }
        return environment
    }
}
