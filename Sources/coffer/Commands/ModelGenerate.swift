import ArgumentParser
import CofferFormats
import CofferGeneration

/// `coffer model generate`: Swift of a model file.
struct ModelGenerate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write Swift classes for the entities of a model, and the model itself as Swift.",
        discussion: """
            Each class has a file, as has the model; the same model makes the same files. Only files that differ are written. \
            A file whose first line says that it was made of this model, by its path from there, goes when its entity goes; no \
            other file is touched.

            Codegen, Class and the scalar types of the model are honoured; a property is documented by 'documentation' in its \
            user info, renamed by 'coffer.name', and has the Swift type that 'coffer.type' names.

            A target of Swift's package manager needs no such files if it uses the plugin CofferModelPlugin.

            Examples:
              coffer model generate Notes.xcdatamodeld --output Sources/Notes/Model
              coffer model generate Notes.xcdatamodeld --output Sources/Notes/Model --check
            """)

    @Argument(
        help: "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, or a 'contents' file.",
        completion: .file())
    var model: String
    @Option(help: "The folder of the files; it is made if it is missing.", completion: .directory)
    var output: String
    @Option(help: "The access level of the classes: 'internal', 'package' or 'public'.")
    var access: GenerationOptions.Access = .internal
    @Option(help: "The name of the type that holds the model, instead of one made of the file's name.")
    var modelName: String?
    @Flag(help: "Write classes too for entities whose Codegen is Manual/None.") var all = false
    @Flag(help: "Write one file instead of one for each class.") var oneFile = false
    @Flag(help: "Write over files of the same names that were not made of this model.") var force = false
    @Flag(help: "Change nothing, and only say what would be done.") var dryRun = false
    @Flag(help: "Change nothing, and exit with 65 if something would be changed.") var check = false
    @OptionGroup var reading: ModelOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        try reporting {
            var options = GenerationOptions()
            options.access = access
            options.modelName = modelName
            options.includesManualClasses = all
            options.isOneFile = oneFile
            options.modelPath = OutputFolder(path: output).relativePath(of: model)
            try reading.check(model)
            let generator = try SourceGenerator(try ModelFile.source(path: model), options: options)
            let folder = OutputFolder(path: output)
            let steps = try folder.steps(
                for: try generator.files(), header: generator.header, isForced: force)
            if !dryRun && !check { try folder.apply(steps) }
            try print(steps)
            let changes = steps.filter { $0.change != .keep }
            if check, !changes.isEmpty {
                throw ToolError(
                    .data, "\(output) does not fit \(model): \(changes.map(\.name).joined(separator: ", ")).")
            }
        }
    }

    private func print(_ steps: [OutputFolder.Step]) throws {
        let printer = format.printer(["file", "change", "entity"])
        for step in steps {
            try printer.print([
                .text(step.name), .text(step.change.rawValue), step.entity.map { .text($0) } ?? .null,
            ])
        }
        try printer.finish()
    }
}

extension GenerationOptions.Access: ExpressibleByArgument {}
