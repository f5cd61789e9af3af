import ArgumentParser
import Coffer
import CofferModel
import FoundationEssentials

/// `coffer store move`: takes a store of the service to another type.
struct StoreMove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Take a store of the service to another type, in its place.",
        discussion: """
            Programs that have the store open are asked first, and may save, for at most --wait seconds; then they go on with the new store, \
            whose objects have new ids: '--json' tells how they became others. After a crash there is the old store or the whole new one; \
            Control-C stops it, and the store is as it was. A program that names the former type when it opens the store is refused.

            Example: coffer store move Codes --type binary
            """)

    @Argument(help: "The store's name.", completion: .stores) var store: String
    @Option(
        help: ArgumentHelp("How the store is to keep its objects: sqlite, binary or xml.", valueName: "type"),
        transform: StoreCopy.type)
    var type: StoreType
    @OptionGroup var options: ServiceOptions
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration
    @OptionGroup var exchange: ExchangeOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            var bar: ProgressBar?
            defer { bar?.finish() }
            let made = try options.finding(store, configuration: configuration) { service in
                try service.migratePersistentStore(
                    named: store, to: type, configuration: configuration, application: options.application,
                    wait: exchange.duration
                ) { copied, total in
                    let shown = bar ?? ProgressBar("Moving \(store)", total: Int(clamping: total))
                    shown.advance(to: Int(clamping: copied))
                    bar = shown
                }
            }
            bar?.finish()
            try made.show(named: "store", store, type, with: output)
        }
    }
}
