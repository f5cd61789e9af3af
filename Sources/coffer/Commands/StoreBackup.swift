import ArgumentParser
import Coffer

/// `coffer store backup`: copies a store while it is used.
struct StoreBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a store into a file, as it is at one moment, while others read and write it.",
        discussion: """
            The copy is read through before it gets its name; a crash leaves what was there before, or the whole copy. Large values \
            that are in files of their own go into a folder beside it; with --one-file into the copy itself. \
            'coffer store replace' takes either.

            Example: coffer store backup Codes backup/Codes.sqlite
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.", completion: .stores)
    var store: String
    @Argument(help: "The file to make, or the package NAME.coffer of a document.", completion: .file())
    var file: String
    @OptionGroup var options: StoreOptions
    @Flag(help: "Replace a file that is there.") var force = false
    @Flag(help: "Put large values into the file itself.") var oneFile = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            var bar: ProgressBar?
            defer { bar?.finish() }
            let backup = try options.backUp(store, to: file, replacing: force, asOneFile: oneFile) {
                copied, total in
                let shown = bar ?? ProgressBar("Copying \(store)", total: Int(clamping: total))
                shown.advance(to: Int(clamping: copied))
                bar = shown
            }
            bar?.finish()
            let printer = output.printer(["store", "file", "number", "bytes"])
            try printer.print([
                .text(store), .text(file), .integer(backup.number), .integer(backup.byteCount),
            ])
            try printer.finish()
        }
    }
}
