import ArgumentParser
import Coffer
import CofferLinux
import CofferModel
import Foundation

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Sign in to an account whose data several machines share, and out of it.",
        discussion: """
            An account is a folder that other software carries between machines: Syncthing, Nextcloud, NFS, a disk. A marker in it says \
            which account it is, wherever it lies.

            Examples:
              coffer account sign-in home ~/Sync/Coffer
              coffer account status
              coffer account sign-out
            """,
        subcommands: [
            AccountSignIn.self, AccountSignOut.self, AccountStatus.self, AccountList.self,
            AccountDebts.self,
        ])
}

/// `coffer account sign-in`: from now on an account is signed in.
struct AccountSignIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in to the account of a folder, and out of any other.",
        discussion: """
            A folder that has no marker of an account yet becomes a new account's.

            Example: coffer account sign-in home ~/Sync/Coffer
            """)

    @Argument(help: "What the account is called on this machine.") var name: String
    @Argument(help: "Its folder, which exists.", completion: .directory) var folder: String
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let path = URL(filePath: folder).standardizedFileURL.path(percentEncoded: false)
            let account = try bus.connect().signIn(as: name, at: path)
            try output.print([account])
        }
    }
}

/// `coffer account sign-out`: from now on no account is signed in.
struct AccountSignOut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign out: what is saved from then on stays on this machine.",
        discussion: """
            Before that it tells what is not in the account's folder yet ('unexported' in the output): that stays on this machine, and \
            goes there when the folder can be reached, with no account signed in, too. 'coffer account debts' tells it without signing out.

            Example: coffer account sign-out
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let connection = try bus.connect()
            let account = try connection.accounts().first { $0.signedIn != nil }
            let owed = try connection.unexportedContents().filter { $0.account == account?.number }
            for content in owed {
                StandardError.say(
                    "'\(content.store)' of \(content.application) has written \(content.count) times what is not in "
                        + "the account's folder: it stays here, and goes there when the folder can be reached."
                )
            }
            try output.print(
                [connection.signOut()], unexported: owed.reduce(0) { $0 + $1.count })
        }
    }
}

/// `coffer account debts`: what is not in accounts' folders yet.
struct AccountDebts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debts",
        abstract: "Show what stores have written that is not in their accounts' folders yet.",
        discussion: """
            A line for each store and account, also of accounts that are not signed in; none if all is there.

            Example: coffer account debts --json | jq -r '.name, .unexported'
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let connection = try bus.connect()
            let names = Dictionary(
                try connection.accounts().map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
            let printer = output.printer(["application", "name", "account", "unexported"])
            for content in try connection.unexportedContents() {
                try printer.print([
                    .text(content.application), .text(content.store),
                    .text(names[content.account] ?? "\(content.account)"), .integer(content.count),
                ])
            }
            try printer.finish()
        }
    }
}

/// `coffer account status`: which account is signed in.
struct AccountStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the account that is signed in; exit code 66 if none is.",
        discussion: "Example: coffer account status --json | jq -r .path")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            guard let account = try bus.connect().accounts().first(where: { $0.signedIn != nil }) else {
                throw ToolError(.noInput, "No account is signed in: 'coffer account sign-in' does it.")
            }
            let owed = try bus.connect().unexportedContents().filter { $0.account == account.number }
            try output.print([account], unexported: owed.reduce(0) { $0 + $1.count })
        }
    }
}

/// `coffer account list`: all accounts.
struct AccountList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the accounts that are or were signed in on this machine.",
        discussion: "Example: coffer account list --json")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting { try output.print(try bus.connect().accounts()) }
    }
}

extension BusOptions {
    /// A connection to the service, as the tool itself.
    fileprivate func connect() throws -> ServiceConnection {
        try ServiceConnection(application: ServiceOptions.ownApplication, bus: address)
    }
}

extension OutputOptions {
    /// Prints accounts, and of an account that is or just was signed in also what is not in its folder.
    fileprivate func print(_ accounts: [UbiquityAccount], unexported: UInt64? = nil) throws {
        var fields = ["number", "name", "signedIn", "since", "path", "root"]
        if unexported != nil { fields.append("unexported") }
        let printer = printer(fields)
        for account in accounts {
            try printer.print(
                [
                    .integer(account.number), .text(account.name), .boolean(account.signedIn != nil),
                    account.signedIn.map { .text(DateText.text(of: $0)) } ?? .null, .text(account.path),
                    .text(account.root),
                ] + (unexported.map { [.integer($0)] } ?? []))
        }
        try printer.finish()
    }
}
