import CofferContainer
import CofferLinux
import CofferUbiquity
import Logging

/// What becomes of a store when its account's container is another one, or empty.
extension ServiceCore {
    /// Makes a store follow what was found out about its container.
    func followContainer(of store: ServedStore) {
        guard store.sharing.containerEvent != nil, !exchangePauses.isPausing(store.key) else { return }
        // Not here: this is the thread that looks at the container, and ends with what it looks for.
        reactor.run { self.takeContainerEvent(of: store) }
    }

    private func takeContainerEvent(of store: ServedStore) {
        // One that was served before tells nothing of the one that is served now.
        guard stores.openStore(store.key) === store else { return }
        do {
            try store.sharing.exclusively {
                guard let event = store.sharing.containerEvent,
                    let actions = try lives?.take(event, store.key)
                else { return }
                if actions.contains(where: \.isFirstQuestion) {
                    logger.notice(
                        "The content of a shared store was removed from its container",
                        metadata: ["store": "\(store.key.description)", "event": "\(event)"])
                    return reactor.run { self.beginHandOver(of: store.key) }
                }
                if case .built(let account) = event {
                    store.sharing.becomeLive(account)
                    adoptLocalContent(into: store)
                }
            }
            sharingChanged(store)
        } catch {
            logger.error(
                "A store cannot follow its container",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            tryAgainLater(store.key)
        }
    }

    /// Begins to fill an account's own store again if what it was filled from is gone, while the other one
    /// serves on.
    func buildAnewIfGone(_ store: ServedStore, _ account: Account) {
        let progress = store.sharing.building?.progress
        guard progress == .isGone || progress == .hasNothing else { return }
        reactor.run { [self] in
            do {
                try store.sharing.exclusively {
                    guard let builder = store.sharing.takeBuilder() else { return }
                    builder.stop()
                    try lives?.dropBuilding(for: account.number, store.key)
                    if progress == .isGone { store.sharing.lookAgain() }
                }
                // It may come, and then it is not there at once.
                if progress == .hasNothing { tryAgainLater(store.key) }
            } catch {
                logger.error(
                    "A store cannot be filled",
                    metadata: ["store": "\(store.key.description)", "error": "\(error)"])
                tryAgainLater(store.key)
            }
        }
    }

    /// Tries again what failed of a store's life, after a pause that grows.
    func tryAgainLater(_ key: StoreKey) {
        guard let pause = exchangePauses.begin(key) else { return }
        _ = deadlines.add(after: pause) { [weak self] in
            guard let self else { return }
            reactor.run { self.tryAgain(key) }
        }
    }

    private func tryAgain(_ key: StoreKey) {
        guard let store = stores.openStore(key) else { return updateResidency() }
        follow([store])
        store.sharing.lookAgain()
        followContainer(of: store)
    }
}

extension StoreSharing {
    /// What the store is to be told of its container; `nil` if there is nothing to tell.
    var containerEvent: StoreOccurrence? {
        guard let content, let status else { return nil }
        return content.occurrence(in: status.condition, isWhole: status.isWhole)
    }
}
