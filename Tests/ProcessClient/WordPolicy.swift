import Coffer
import CofferLinux
import CofferModel
import TestSupport

/// Makes a word of each word of a title; says so and stops for ever at the first title that `stopsAt` names.
final class WordPolicy: EntityMigrationPolicy {
    private let stopsAt: String?
    private let output: LinePrinter

    init(stoppingAt stopsAt: String?, _ output: LinePrinter) {
        (self.stopsAt, self.output) = (stopsAt, output)
    }

    func createDestinationInstances(
        for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
    ) throws {
        guard case .string(let title) = source["title"] else { return }
        if title == stopsAt {
            output.print(["stopped": title])
            ConditionLock(false).wait { $0 ? () : nil }
        }
        for word in title.split(separator: " ") {
            let made = try manager.destinationContext.insert(entityNamed: "Word")
            made["text"] = .string(String(word))
            try manager.associate(sourceInstance: source, withDestinationInstance: made, for: mapping)
        }
    }

    /// Takes the store of entries to version 3 by such a policy.
    static func migrate(_ command: [String: String], _ output: LinePrinter) throws -> [String: String] {
        let connection = try ServiceConnection(application: "org.coffer.Tests")
        let done = try connection.migrateStore(
            named: command["store"] ?? "Log", to: try LogRoute.model(3), by: LogRoute.custom,
            policies: ["WordPolicy": { WordPolicy(stoppingAt: command["stopsAt"], output) }],
            policyTimeout: .milliseconds(command["timeout"].flatMap { Int($0) } ?? 60_000))
        return ["number": "\(done.number ?? 0)", "hasBackup": "\(done.backup != nil)"]
    }
}
