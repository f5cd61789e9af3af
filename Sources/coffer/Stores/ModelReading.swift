import ArgumentParser
import CofferEmbedded
import CofferFormats
import CofferLinux
import CofferModel
import CofferStores

/// How a command takes a model file that may be written by hand.
struct ModelOptions: ParsableArguments {
    @Flag(
        help:
            "Take no model in which something is not known, as a name that is mistyped; else that is warned of."
    )
    var strict = false

    /// Warns, and takes it.
    static var lenient: ModelOptions {
        var options = ModelOptions()
        options.strict = false
        return options
    }

    /// Tells of what the model at `path` says that has no effect.
    func check(_ path: String) throws { try tell(try ModelFile.warnings(path: path)) }

    /// The mapping model at `path`, after such warnings.
    func readMapping(_ path: String) throws -> MappingModel {
        try tell(try MappingModelFile.warnings(path: path))
        return try MappingModelFile.read(path: path)
    }

    private func tell(_ found: [ModelWarning]) throws {
        let warnings = found.map(\.description)
        if strict, !warnings.isEmpty { throw ToolError(.data, warnings.joined(separator: "\n")) }
        for warning in warnings { StandardError.say("coffer: warning: \(warning)") }
    }

    /// The model at `path`, after such warnings; that of a store is the one that it keeps, else what its
    /// tables tell.
    func read(_ path: String) throws -> ManagedObjectModel {
        if let model = try modelOfStore(path) { return model }
        try check(path)
        return try ModelFile.read(path: path)
    }

    /// The model of a store's file of SQLite; `nil` if the file is something else.
    private func modelOfStore(_ path: String) throws -> ManagedObjectModel? {
        guard EmbeddedCoordinator.isDatabase(path: path) else { return nil }
        let inspection = try EmbeddedCoordinator.inspect(path: path)
        guard let model = inspection.model else {
            throw ToolError(.data, "'\(path)' keeps no model, and its tables tell none.")
        }
        if inspection.modelSource == .guessed { GuessedModelNotice.say(of: path) }
        return model
    }
}
