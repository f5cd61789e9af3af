import ArgumentParser
import CofferLinux
import CofferModel

/// `coffer model convert`: writes a model in the form that Xcode has it in.
struct ModelConvert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write a model as an .xcdatamodel folder, whatever form it is in.",
        discussion: """
            What is there is not replaced. A bundle of versions is read as its current one; name a version in it to take that.

            Examples:
              coffer model convert Notes.momd .
              coffer model convert Notes.momd/Notes.mom Notes.xcdatamodel
            """)

    @Argument(
        help: "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, or a 'contents' file.",
        completion: .file())
    var file: String
    @Argument(help: "The .xcdatamodel folder to make, or the folder to make it in.", completion: .directory)
    var target: String
    @OptionGroup var reading: ModelOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let model = try reading.read(file)
            let name = FileLocation(file.hasSuffix("/") ? String(file.dropLast()) : file).name
            let path = try ModelFolder.write(
                model, named: name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name, to: target)
            let printer = output.printer(["model", "file", "entities"])
            try printer.print([.text(file), .text(path), .integer(model.entities.count)])
            try printer.finish()
        }
    }
}
