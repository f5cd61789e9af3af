import ArgumentParser
import Coffer

extension CompletionKind {
    /// The names of the stores of the application that the command line names, or with `--embedded` paths of
    /// files.
    ///
    /// The bus starts the service for it. Whatever fails, nothing is offered: a shell that completes has no
    /// place for reasons.
    static let stores = CompletionKind.custom { words, _, start in
        let line = CommandLineWords(words)
        if line.isEmbedded { return PathCompletion.paths(beginningWith: start) }
        return line.stores().filter { $0.application == line.application }.map(\.name).distinct
    }

    /// The names of the entities of the store before.
    static let entities = CompletionKind.custom { words, place, _ in
        let line = CommandLineWords(words)
        guard let store = line.store(before: place) else { return [] }
        // A store that cannot be opened offers nothing.
        let opened = try? StoreOptions.parse(line.storeOptions).open(store, for: .reading(isSealed: true))
        return (opened?.model.entities.map(\.name) ?? []).distinct
    }

    /// The applications that have stores.
    static let applications = CompletionKind.custom { words, _, _ in
        CommandLineWords(words).stores().map(\.application).distinct
    }
}

extension [String] {
    /// Each once: stores of several configurations have one name, and an application has several stores.
    fileprivate var distinct: [String] { Set(self).sorted() }
}

/// What a command line that is not complete says of the service and the application.
private struct CommandLineWords {
    let words: [String]

    init(_ words: [String]) { self.words = words }

    var isEmbedded: Bool { words.contains("--embedded") }

    var application: String { value(of: "--application") ?? ServiceOptions.standardApplication }

    func stores() -> [ServiceConnection.Listing] {
        let address = BusOptions.address(of: value(of: "--bus"))
        // A service that does not answer offers nothing.
        let connection = try? ServiceConnection(application: ServiceOptions.ownApplication, bus: address)
        return (try? connection?.stores(ofAllApplications: true)) ?? []
    }

    /// The first word that is neither an option nor its value, behind the command.
    func store(before place: Int) -> String? {
        let behind = words.indices.filter { index in
            index > 1 && index < place && !words[index].hasPrefix("-")
                && !Self.withValues.contains(words[index - 1])
        }
        return behind.first.map { words[$0] }
    }

    /// Options of all commands that open stores, which have their values in the next word.
    private static let withValues: Set<String> = [
        "--application", "--bus", "--format", "--model", "--shared-as", "--store-configuration",
    ]

    /// What says how the store is opened.
    var storeOptions: [String] {
        let given = ["--application", "--bus", "--store-configuration", "--model"].flatMap { option in
            value(of: option).map { [option, $0] } ?? []
        }
        return given + (isEmbedded ? ["--embedded"] : [])
    }

    /// `--option value` or `--option=value`; some shells make three words of the latter.
    private func value(of option: String) -> String? {
        if let word = words.first(where: { $0.hasPrefix(option + "=") }) {
            return String(word.dropFirst(option.count + 1))
        }
        guard let place = words.firstIndex(of: option) else { return nil }
        let rest = words[(place + 1)...].drop { $0 == "=" }
        return rest.first
    }
}
