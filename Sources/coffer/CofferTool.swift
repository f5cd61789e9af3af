import ArgumentParser
import CofferLinux
import CofferWire

@main
struct CofferTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer",
        abstract:
            "Look into stores of managed objects and change them, through the storage service or without it.",
        discussion: """
            STORE is the name of a store of the application that --application or COFFER_APPLICATION names; with --embedded \
            it is the path of a store file, which is opened in this process.

            Examples:
              coffer store add Codes --model Codes.xcdatamodel
              coffer import Codes Country iso_3166-1.json --key alpha_2
              coffer fetch Codes Country --where 'name BEGINSWITH "S"' --json | jq .name

            Results go to standard output, all else to standard error. \(ExitStatus.help)
            """,
        version: "coffer \(ReleaseVersion.text)",
        subcommands: [
            StoreCommand.self, ModelCommand.self, Fetch.self, Insert.self, Update.self, Delete.self,
            Import.self,
            Watch.self, History.self, Metadata.self, Migrate.self, Inspect.self, Dump.self, Status.self,
            Trace.self, AccountCommand.self, UbiquityCommand.self,
        ])

    static func main() {
        if let mistake = CommandMistake(in: CommandLine.arguments.dropFirst(), of: Self.self) {
            StandardStreams.secure()
            StandardError.say("coffer: \(mistake.text)")
            exit(withError: ExitCode(ExitStatus.usage.rawValue))
        }
        main(nil)
    }
}

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Add, list, copy, replace and remove stores.",
        discussion: """
            Examples:
              coffer store add Codes --model Codes.xcdatamodel
              coffer store list --all
              coffer store backup Codes backup/Codes.sqlite
              coffer store copy Codes --type xml codes.xml
            """,
        subcommands: [
            StoreAdd.self, StoreList.self, StoreBackup.self, StoreCopy.self, StoreMove.self,
            StoreVacuum.self, StoreRemove.self, StoreReplace.self,
        ])
}

struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Look into model files, convert them, and make Swift of them.",
        discussion: """
            Examples:
              coffer model show Codes.xcdatamodel
              coffer model generate Notes.xcdatamodeld --output Sources/Notes/Model
            """,
        subcommands: [ModelShow.self, ModelConvert.self, ModelGenerate.self])
}
