import CofferContainer
import CofferUbiquity
import CofferWire

/// The rpcs of `service Accounts`.
extension CallContext {
    func signIn(_ request: SignInRequestMessage) throws(ServiceError) -> AccountReplyMessage {
        let accounts = try accounts(forEverything: true)
        do throws(AccountError) {
            return AccountReplyMessage(
                account: AccountMessage(try accounts.signIn(as: request.name, at: request.path)))
        } catch {
            throw .account(error)
        }
    }

    func signOut() throws(ServiceError) -> AccountReplyMessage {
        let accounts = try accounts(forEverything: true)
        service.settleUp()
        let debts = service.listDebts()
        do throws(AccountError) {
            let account = try accounts.signOut()
            let owed = debts.reduce(0) { $1.account == account.number ? $0 + $1.unexported : $0 }
            return AccountReplyMessage(account: AccountMessage(account), unexported: owed)
        } catch {
            throw .account(error)
        }
    }

    func listAccounts() throws(ServiceError) -> ListAccountsReplyMessage {
        let accounts = try accounts(forEverything: true)
        do throws(AccountError) {
            return ListAccountsReplyMessage(accounts: try accounts.all().map { AccountMessage($0) })
        } catch {
            throw .account(error)
        }
    }

    /// If all users share a service, no account is signed in, and every application may be told so.
    func identityToken() throws(ServiceError) -> IdentityTokenReplyMessage {
        guard service.accounts != nil else { return IdentityTokenReplyMessage(token: []) }
        let accounts = try accounts(forEverything: false)
        do throws(AccountError) {
            let token = try accounts.identityToken(for: session.caller.application)
            return IdentityTokenReplyMessage(token: token?.bytes ?? [])
        } catch {
            throw .account(error)
        }
    }

    /// The accounts, for a caller that may see or change them, or only ask for its own token.
    private func accounts(forEverything isEverything: Bool) throws(ServiceError) -> Accounts {
        try service.requireAccounts(ofSandboxed: isEverything && session.caller.isSandboxed)
    }
}

extension ServiceCore {
    /// The accounts; refused to programs in sandboxes, and in the service of all users.
    func requireAccounts(ofSandboxed isSandboxed: Bool) throws(ServiceError) -> Accounts {
        if isSandboxed {
            throw .denied(
                "A program in a sandbox is told no more of accounts than its own identity token.")
        }
        guard let accounts else {
            throw .denied(
                "The service of all users has no accounts: sign in on the session bus, each user alone.")
        }
        return accounts
    }
}

extension AccountMessage {
    /// What clients are told of an account.
    init(_ account: Account) {
        self.init(
            number: UInt32(clamping: account.number), root: account.root.bytes, name: account.name,
            path: account.path, signedIn: account.signedIn)
    }
}
