import ArgumentParser
import Coffer
import CofferEmbedded
import CofferFormats
import CofferLinux
import CofferModel
import FoundationEssentials

/// `coffer migrate`: takes a store to another version of its model.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Take a store to another model, or show what that would do.",
        discussion: """
            What becomes of the objects follows from the model that the store keeps and the new one: what has the same name, or has the old \
            name as its renaming identifier, is the same. All of it happens, or nothing; if it cannot be done, all that is in the way is told. \
            Where objects, values or references are lost, a copy of the store is kept beside it for 30 days.

            Programs that have the store open are told first, so that they can save; those of another model cannot use it any more then. \
            Control-C stops it, and the store is as it was. With --embedded no program may have the file open.

            A mapping model that makes several objects of one, or takes only some, is followed object by object in a new file, which takes the \
            place of the old one: objects have other ids then.

            With --staged the store may have any of the versions in a folder, and reaches the last of them, one after the other; a mapping model \
            in it or beside it, as Model2_to_Model3.xcmappingmodel, is that of the stage in its name. Each stage happens wholly or not at all.

            A store of another program that keeps no model, as those of old systems, needs --model, the version that it has; --staged \
            finds that by the version hashes.

            Examples:
              coffer migrate Notes --to Notes.xcdatamodeld --dry-run
              coffer migrate Notes --to Notes.xcdatamodeld
              coffer migrate notes.sqlite --embedded --to Notes.xcdatamodeld
              coffer migrate Notes --to Next.xcdatamodel --mapping M.cdm
              coffer migrate Notes --staged Notes.xcdatamodeld
              coffer migrate old.sqlite --embedded --model Old.mom --to New.mom
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.", completion: .stores)
    var store: String
    @Option(
        help: ArgumentHelp("The model that the store gets, as for 'coffer store add'.", valueName: "model"),
        completion: .file())
    var to: String?
    @Option(
        help: ArgumentHelp(
            "The model that the store has, if it keeps none.", valueName: "model"), completion: .file())
    var model: String?
    @Option(
        help: ArgumentHelp(
            "A folder with all versions of the model, in the order of their names.",
            valueName: "dir"), completion: .directory)
    var staged: String?
    @Option(
        help: ArgumentHelp(
            "A mapping model that says what becomes of the objects: an .xcmappingmodel or a .cdm.",
            valueName: "file"), completion: .file())
    var mapping: String?
    @OptionGroup var service: ServiceOptions
    @Flag(help: "STORE is the path of a store file, which is migrated in this process, without the service.")
    var embedded = false
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration
    @Flag(help: "Only show what would be done.") var dryRun = false
    @Flag(name: .customLong("no-backup"), help: "Keep no copy of what is lost.") var withoutBackup = false
    @Flag(help: "Migrate also a file that Coffer did not make: it gets Coffer's tables and history tracking.")
    var adopt = false
    @OptionGroup var reading: ModelOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if (to == nil) == (staged == nil) { throw ValidationError("Name either --to or --staged.") }
        if staged != nil && mapping != nil {
            throw ValidationError("--staged finds mapping models by their names: leave --mapping out.")
        }
        if staged != nil && model != nil {
            throw ValidationError("--staged finds the version that the store has: leave --model out.")
        }
        if embedded && service.bus.bus != nil { throw ValidationError("--embedded uses no bus.") }
    }

    func run() throws {
        try reporting {
            if let staged { return try migrate(through: StagedModels.read(staged, reading: reading)) }
            guard let to else { return }
            let destination = try reading.read(to)
            if let model {
                let mapping = try mapping.map { try reading.readMapping($0) }
                return try migrate(through: [
                    MigrationRoute.Stage(name: model, model: reading.read(model)),
                    MigrationRoute.Stage(name: to, model: destination, mapping: mapping),
                ])
            }
            let report =
                try embedded
                ? migrateFile(to: destination) : Report(migrateStore(to: destination, by: route()))
            try show(report)
            try refuse(report.plan)
        }
    }

    private func route() throws -> MigrationRoute {
        try mapping.map { .mapping(try reading.readMapping($0)) } ?? .inferred
    }

    /// Tells of what is in the way, if only that was looked for.
    private func refuse(_ plan: MigrationPlan) throws {
        guard dryRun, let first = plan.obstacles.first else { return }
        let others = plan.obstacles.dropFirst().map { "\n\($0)" }.joined()
        throw ToolError(.data, "'\(store)' cannot be migrated: \(first)\(others)")
    }

    private func migrate(through stages: [MigrationRoute.Stage]) throws {
        let staged = try embedded ? migrateFile(through: stages) : migrateStore(through: stages)
        if staged.steps.isEmpty {
            StandardError.say("coffer: '\(store)' has the last version, '\(staged.origin)', already.")
        }
        var last = staged.origin
        for step in staged.steps {
            StandardError.say("coffer: from '\(last)' to '\(step.name)':")
            try show(step.report)
            try refuse(step.report.plan)
            last = step.name
        }
        if !staged.later.isEmpty {
            let names = staged.later.map { "'\($0)'" }.joined(separator: ", ")
            StandardError.say("coffer: then to \(names), which is looked at when it comes to that.")
        }
    }

    private func migrateFile(through stages: [MigrationRoute.Stage]) throws -> StagedReport {
        var steps = ShownSteps()
        let staged = try EmbeddedCoordinator.migrate(
            path: store, through: stages.map { MigrationStage($0) }, configuration: configuration,
            onlyPlans: dryRun, keepsBackup: !withoutBackup, adopts: adopt
        ) { step in
            steps.show(step)
            return true
        }
        return StagedReport(
            origin: staged.origin,
            steps: staged.steps.map {
                let migration = $0.migration
                return (
                    $0.name,
                    Report(plan: migration.plan, number: migration.number, backup: migration.backup)
                )
            }, later: staged.later)
    }

    private func migrateStore(through stages: [MigrationRoute.Stage]) throws -> StagedReport {
        guard let last = stages.last else { return StagedReport(origin: "", steps: [], later: []) }
        let migration = try migrateStore(to: last.model, by: .stages(stages))
        return StagedReport(
            origin: migration.origin ?? "",
            steps: migration.stages.map { ($0.name, Report($0.migration)) }, later: migration.later)
    }

    private func migrateFile(to model: ManagedObjectModel) throws -> Report {
        var steps = ShownSteps()
        let migration = try EmbeddedCoordinator.migrate(
            path: store, to: model, by: try mapping.map { try reading.readMapping($0) },
            configuration: configuration, onlyPlans: dryRun, keepsBackup: !withoutBackup, adopts: adopt
        ) { step in
            steps.show(step)
            return true
        }
        return Report(plan: migration.plan, number: migration.number, backup: migration.backup)
    }

    private func migrateStore(
        to model: ManagedObjectModel, by route: MigrationRoute
    ) throws -> ServiceConnection.Migration {
        var steps = ShownSteps()
        return try service.finding(store, configuration: configuration) { connection in
            try connection.migrateStore(
                named: store, to: model, by: route, configuration: configuration,
                application: service.application,
                onlyPlans: dryRun, keepsBackup: !withoutBackup, adopts: adopt
            ) { step in steps.show(step) }
        }
    }

    private func show(_ report: Report) throws {
        if output.chosen == .json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let bytes = try encoder.encode(report)
            let printed = StandardOutput()
            try printed.write(String(decoding: bytes, as: UTF8.self))
            try printed.flush()
            return
        }
        let printer = output.printer(["entity", "property", "what", "objects", "defaults", "lost", "detail"])
        for line in report.plan.lines { try printer.print(line) }
        try printer.finish()
        if dryRun, !report.plan.isIdle {
            StandardError.say(
                "coffer: it takes up to \((report.plan.byteCount + 1023) >> 10) KiB of room meanwhile, and "
                    + "\(Self.time(report.plan.seconds)).")
        }
        if report.plan.isReturn {
            StandardError.say(
                "coffer: '\(store)' had this model before it was taken on to the one that it has"
                    + (dryRun ? "." : "; this takes it back."))
        }
        if report.plan.isIdle { StandardError.say("coffer: '\(store)' has this model already.") }
        if let backup = report.backup {
            StandardError.say("coffer: what was there before is in '\(backup)', for 30 days.")
        }
    }

    /// A time that is only known by its order, for people.
    private static func time(_ seconds: Double) -> String {
        let longest = Int(min((2 * seconds).rounded(.up), 1e9))
        return longest > 1 ? "from \(max(1, longest / 4)) to \(longest) seconds" : "about a second"
    }

    /// Tells a user who waits of each step once.
    private struct ShownSteps {
        private var last: MigrationProgress?

        mutating func show(_ step: MigrationProgress) {
            if step == last || !StandardError.isTerminal { return }
            last = step
            StandardError.say("coffer: \(step.text)")
        }
    }

    /// What `--json` shows.
    fileprivate struct Report: Encodable {
        let plan: MigrationPlan
        let number: UInt64?
        let backup: String?
    }

    /// What was done for stages.
    private struct StagedReport {
        let origin: String
        let steps: [(name: String, report: Report)]
        let later: [String]
    }
}

extension Migrate.Report {
    fileprivate init(_ migration: ServiceConnection.Migration) {
        self.init(plan: migration.plan, number: migration.number, backup: migration.backup)
    }
}

extension MigrationPlan {
    /// A line for each entity and each property that changes.
    fileprivate var lines: [[OutputValue]] {
        entities.flatMap { entity in
            let name = entity.formerName.map { "\($0) → \(entity.name)" } ?? entity.name
            let own: [OutputValue] = [
                .text(name), .text(""), .text(entity.change.rawValue), .integer(entity.objectCount),
                .integer(0),
                .integer(entity.change == .removed ? entity.objectCount : 0), .text(""),
            ]
            return [own]
                + entity.properties.map { property in
                    let examples = property.examples.map { "\($0.entity)/p\($0.key) \($0.value ?? "")" }
                    let detail = ([property.detail] + examples).filter { !$0.isEmpty }.joined(separator: ", ")
                    return [
                        .text(name),
                        .text(property.formerName.map { "\($0) → \(property.name)" } ?? property.name),
                        .text(property.change.rawValue), .integer(property.changedCount),
                        .integer(property.defaultedCount), .integer(property.droppedCount), .text(detail),
                    ]
                }
        }
    }
}

extension MigrationProgress {
    /// What is done, for a user who waits.
    fileprivate var text: String {
        switch self {
        case .checking: "looking for what is in the way"
        case .rows: "changing tables and rows"
        case .indexes: "making indexes"
        case .history: "keeping history and the model"
        }
    }
}
