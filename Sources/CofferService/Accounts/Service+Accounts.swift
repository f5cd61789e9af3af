import CofferDBus
import CofferUbiquity
import CofferWire
import Logging

/// Telling clients that an account signed in or out.
extension Service {
    /// Tells clients, which ask for their tokens then, and those that watch objects on the bus.
    func announce(_ change: Accounts.Change) {
        switch change {
        case .signedIn(let account, let isNew):
            core.logger.notice(
                "Account signed in", metadata: ["account": "\(account.name)", "path": "\(account.path)"])
            announce(account, isNew: isNew)
        case .signedOut(let account):
            core.logger.notice("Account signed out", metadata: ["account": "\(account.name)"])
            announce(account, isNew: false)
        }
        core.pushIdentityDidChange()
        // Not here: the accounts are asked for then, and folders looked into that may not answer for long.
        core.reactor.run { [core] in
            core.followAccount()
            core.updateResidency()
            core.deliverDebts()
        }
    }

    private func announce(_ account: Account, isNew: Bool) {
        guard let announcer = accountAnnouncer else { return }
        let interface = BoundInterface(AccountInterface.table, account)
        if isNew {
            announcer.added(account.objectPath, [interface])
        } else {
            announcer.changed(account.objectPath, interface)
        }
        let list = AccountList(service: core)
        announcer.changed(BusNames.accountsPath, BoundInterface(AccountListInterface.table, list))
    }
}

extension ServiceCore {
    /// Tells each client over its channel; callers over the bus look at the accounts' objects.
    fileprivate func pushIdentityDidChange() {
        let push = PushMessage(kind: .identityDidChange, store: 0, number: 0, previous: 0)
        // A few bytes always pack.
        guard let bytes = try? push.packed() else { return }
        for served in allSessions { served.channel?.send(push: bytes) }
    }
}
