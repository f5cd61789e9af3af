import ArgumentParser
import CofferWire

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
            let listed = try service.connect().call(
                .listStores, ListStoresRequestMessage(allApplications: true), as: ListStoresReplyMessage.self)
            let stores = listed.stores.filter { all || $0.name.application == service.application }
            let printer = output.printer(["application", "configuration", "name", "bytes", "open", "path"])
            for store in stores.sorted(by: { StoreList.order($0.name) < StoreList.order($1.name) }) {
                try printer.print([
                    .text(store.name.application), .text(store.name.configuration), .text(store.name.name),
                    .integer(store.byteCount), .boolean(store.isOpen), .text(store.path),
                ])
            }
            try printer.finish()
        }
    }

    private static func order(_ name: StoreNameMessage) -> (String, String, String) {
        (name.application, name.configuration, name.name)
    }
}
