import ArgumentParser

@main
struct CofferBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer-bench",
        abstract: "Measure Coffer against SQLite in the same process and against a bare socket pair.",
        discussion: """
            Build it for release together with the service, and keep the machine quiet:

              swift build -c release --static-swift-stdlib --product cofferd
              swift build -c release --static-swift-stdlib --product coffer-bench

            Exit codes: 0 all was measured, 64 wrong arguments, 69 a program that is needed is missing, 70 a system gave \
            wrong answers or failed, 71 the kernel refused something, such as to write the results, 130 stopped by a signal.
            """,
        subcommands: [RunCommand.self, WorkerCommand.self],
        defaultSubcommand: RunCommand.self)
}
