import ArgumentParser
import CofferFormats
import CofferModel

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
    func check(_ path: String) throws {
        let warnings = try ModelFile.warnings(path: path).map(\.description)
        if strict, !warnings.isEmpty { throw ToolError(.data, warnings.joined(separator: "\n")) }
        for warning in warnings { StandardError.say("coffer: warning: \(warning)") }
    }

    /// The model at `path`, after such warnings.
    func read(_ path: String) throws -> ManagedObjectModel {
        try check(path)
        return try ModelFile.read(path: path)
    }
}
