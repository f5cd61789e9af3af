import ArgumentParser
import Coffer

/// `coffer ubiquity rebuild`: rebuilds a shared store from its container.
struct UbiquityRebuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Rebuild a shared store from the account's folder.",
        discussion: """
            The store is empty at once and fills: 'coffer ubiquity status' shows how far it is. What was not in the folder yet is joined \
            into it at the end. Programs that have the store open are asked first, and go on with the new one.

            Example: coffer ubiquity rebuild Notes --application org.example.Notes
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @OptionGroup var options: StoreOptions

    func validate() throws { try options.requireService() }

    func run() throws {
        try reporting {
            var description = StoreDescription(
                name: store, configuration: options.configuration, mustExist: true)
            description.ubiquity.rebuildsFromContent = true
            let opened = try options.service.finding(store, configuration: options.configuration) { service in
                try service.openStore(description, application: options.service.application)
            }
            withExtendedLifetime(opened) {}
        }
    }
}
