import ArgumentParser
import Coffer

/// `coffer store list`: which stores there are.
struct StoreList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List stores.",
        discussion: "Example: coffer store list --all --json | jq -r .path")

    @OptionGroup var service: ServiceOptions
    @Flag(help: "List the stores of all applications.") var all = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let stores = try service.connect().stores(ofAllApplications: true)
            let printer = output.printer([
                "application", "configuration", "name", "bytes", "open", "path", "type",
            ])
            for store in stores.sorted(by: { StoreList.order($0) < StoreList.order($1) })
            where all || store.application == service.application {
                try printer.print([
                    .text(store.application), .text(store.configuration), .text(store.name),
                    .integer(store.byteCount), .boolean(store.isOpen), .text(store.path),
                    store.type.map { .text($0.rawValue) } ?? .null,
                ])
            }
            try printer.finish()
        }
    }

    private static func order(_ store: ServiceConnection.Listing) -> (String, String, String) {
        (store.application, store.configuration, store.name)
    }
}
