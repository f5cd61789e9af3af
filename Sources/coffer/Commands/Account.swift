import ArgumentParser
import Coffer
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
        ])
}

/// `coffer account sign-in`: from now on somebody is signed in.
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

/// `coffer account sign-out`: from now on nobody is signed in.
struct AccountSignOut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign out: what is saved from then on stays on this machine.",
        discussion: "Example: coffer account sign-out")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting { try output.print([bus.connect().signOut()]) }
    }
}

/// `coffer account status`: who is signed in.
struct AccountStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the account that is signed in; exit code 66 where nobody is.",
        discussion: "Example: coffer account status --json | jq -r .path")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            guard let account = try bus.connect().accounts().first(where: { $0.signedIn != nil }) else {
                throw ToolError(.noInput, "Nobody is signed in: 'coffer account sign-in' does it.")
            }
            try output.print([account])
        }
    }
}

/// `coffer account list`: all accounts.
struct AccountList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the accounts that somebody is or was signed in to on this machine.",
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
    fileprivate func print(_ accounts: [UbiquityAccount]) throws {
        let printer = printer(["number", "name", "signedIn", "since", "path", "root"])
        for account in accounts {
            try printer.print([
                .integer(account.number), .text(account.name), .boolean(account.signedIn != nil),
                account.signedIn.map { .text(DateText.text(of: $0)) } ?? .null, .text(account.path),
                .text(account.root),
            ])
        }
        try printer.finish()
    }
}
