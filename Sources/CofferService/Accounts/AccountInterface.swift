import CofferContainer
import CofferDBus
import CofferUbiquity
import Logging

/// All accounts as an object on the bus.
struct AccountList: Sendable {
    let service: ServiceCore
}

/// `org.coffer.Storage1.Accounts`: signing in and out.
enum AccountListInterface {
    static let table = BusInterface<AccountList>(
        name: BusNames.accountsInterface,
        documentation: "Accounts: whose data several machines share. On the session bus only.",
        methods: [
            .init(
                "SignIn", in: [DBusArgument("name", "s"), DBusArgument("path", "s")],
                out: [DBusArgument("account", "o")],
                "Signs in to the account of a folder that other software carries, and out of any other; the folder gets a marker if it has none."
            ) { list, caller, arguments in
                let accounts = try list.service.requireAccounts(ofSandboxed: caller.sandbox != nil)
                let account = try translating { () throws(AccountError) in
                    try accounts.signIn(
                        as: arguments[0].stringValue ?? "", at: arguments[1].stringValue ?? "")
                }
                return [.objectPath(account.objectPath)]
            },
            .init("SignOut", "Signs out; what is saved from then on stays on this machine.") {
                list, caller, _ in
                let accounts = try list.service.requireAccounts(ofSandboxed: caller.sandbox != nil)
                try translating { () throws(AccountError) in try accounts.signOut() }
                return []
            },
        ],
        properties: [
            .init(
                "Current", "o", changes: .value,
                documentation: "The account that is signed in; '/' if none is."
            ) {
                .objectPath($0.service.knownAccounts.first { $0.signedIn != nil }?.objectPath ?? "/")
            },
            .init(
                "Unexported", "t", changes: .none,
                documentation:
                    "How often stores have written something for the account that is signed in that is not in its folder yet: to be told before SignOut. After a sign-out it goes there when the folder can be reached; ListDebts tells of each store."
            ) { list in
                let account = list.service.knownAccounts.first { $0.signedIn != nil }?.number
                return .uint64(
                    list.service.listDebts().reduce(0) { $1.account == account ? $0 + $1.unexported : $0 })
            },
        ])

    @discardableResult
    private static func translating<Result>(
        _ body: () throws(AccountError) -> Result
    ) throws(ServiceError) -> Result {
        do throws(AccountError) { return try body() } catch { throw .account(error) }
    }
}

/// `org.coffer.Storage1.Account`: one account.
enum AccountInterface {
    static let table = BusInterface<Account>(
        name: BusNames.accountInterface,
        documentation:
            "An account that was signed in on this machine. Changes are told to names that asked for the objects (GetManagedObjects).",
        properties: [
            .init("Name", "s", changes: .value, documentation: "What its person calls it here.") {
                .string($0.name)
            },
            .init(
                "Path", "s", changes: .value,
                documentation: "The folder that other software carries, as named at the last sign-in."
            ) { .string($0.path) },
            .init(
                "Root", "s", changes: .const,
                documentation: "Which account it is, as the marker in its folder says: 32 hexadecimal digits."
            ) { .string($0.root.description) },
            .init("SignedIn", "b", changes: .value, documentation: "Whether the account is signed in.") {
                .boolean($0.signedIn != nil)
            },
            .init(
                "Since", "t", changes: .value,
                documentation:
                    "Since when the account is signed in, in microseconds since 1970-01-01 UTC; 0 if it is not."
            ) { .uint64($0.signedIn.flatMap { UInt64(exactly: (($0 + 978_307_200) * 1e6).rounded()) } ?? 0) },
        ])
}

extension Account {
    /// The path of its object on the bus.
    var objectPath: String { "\(BusNames.accountsPath)/\(number)" }
}

extension ServiceCore {
    /// The accounts, for looking at them; none if they cannot be read, which is logged.
    var knownAccounts: [Account] {
        guard let accounts else { return [] }
        do throws(AccountError) {
            return try accounts.all()
        } catch {
            logger.error("The accounts cannot be read", metadata: ["error": "\(error)"])
            return []
        }
    }
}
