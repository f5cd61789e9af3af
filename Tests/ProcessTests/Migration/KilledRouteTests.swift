import CofferLinux
import CofferSQLite
import Foundation
import TestSupport
import Testing

extension OneAtATime {
    /// The service is killed while it follows a mapping model object by object.
    @Suite(.serialized) struct KilledRouteTests {
        /// How often, and over how many rows: `COFFER_MIGRATION_KILLS` makes more of both.
        private static let kills = CurrentProcess.environment["COFFER_MIGRATION_KILLS"].flatMap { Int($0) }

        @Test(arguments: Seed.several(1))
        func `the old store is whole, or the new one, wherever the service dies`(seed: Seed) throws {
            print("killed at random moments, seed \(seed)")
            let rounds = Self.kills ?? 6
            let count = Self.kills == nil ? 1_500 : 100_000
            var random = seed.generator()
            try withService { service in
                let old = try ClientProcess(service)
                try old.ask("batchInsert", ["writer": "1", "count": "\(count)", "title": "A"])
                #expect(try old.end() == .code(0))
                try service.kill9()
                let pristine = try LogCopy(service)
                let start = ContinuousClock.now
                let first = try ClientProcess(service, opens: false)
                try first.ask("open", ["store": "Log", "version": "3", "route": "mapping"])
                let whole = Int((ContinuousClock.now - start) / .microseconds(1))
                #expect(try first.end() == .code(0))
                try service.kill9()
                var (migrated, killed) = (true, 0)
                let moment = try RandomMoment()
                for round in 0..<rounds {
                    if migrated { try pristine.restore() }
                    let client = try ClientProcess(service, opens: false)
                    try client.post("open", ["store": "Log", "version": "3", "route": "mapping"])
                    try service.waitUntilItRuns()
                    try moment.pass(within: whole * 5 / 4, &random)
                    // No client is left to begin it again.
                    try ProcessControl.kill(client.child.id, .stop)
                    try service.kill9()
                    try ProcessControl.kill(client.child.id, .kill)
                    let file = try LogFile(service)
                    migrated = try file.number("SELECT count(*) FROM sqlite_master WHERE name = 'ZWORD'") == 1
                    if !migrated { killed += 1 }
                    try file.expectWhole()
                    #expect(try file.entries().count == count, "round \(round), seed \(seed)")
                    if migrated { #expect(try file.number("SELECT count(*) FROM ZWORD") == Int64(count)) }
                    // A client comes back to what there is.
                    let again = try ClientProcess(service, opens: false)
                    try again.ask("open", ["store": "Log", "version": migrated ? "3" : "1"])
                    #expect(try again.count() == count, "round \(round), seed \(seed)")
                    #expect(try service.integrity(ofStore: "Log") == [])
                    #expect(try again.end() == .code(0))
                    try service.kill9()
                }
                print("seed \(seed): \(killed) of \(rounds) before the new store was there")
                // What is left goes when the store is taken on.
                let last = try ClientProcess(service, opens: false)
                try last.ask("open", ["store": "Log", "version": "3", "route": "mapping"])
                #expect(try last.count() == count)
                let names = try Folder(at: LogFile.folder(service)).names()
                #expect(!names.contains { $0.contains(".new") }, "\(names)")
                #expect(try last.end() == .code(0))
            }
        }
    }
}

/// The store of entries as it was.
private struct LogCopy {
    private let folder: String
    private let bytes: Data

    /// Reads the file of a store that no process has open, with all that is in its log.
    init(_ service: ServiceUnderTest) throws {
        folder = LogFile.folder(service)
        let path = LogFile.path(service)
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        // A connection that has read nothing yet does not know of the log.
        _ = try connection.prepare("SELECT count(*) FROM ZENTRY").step()
        _ = try connection.checkpoint(mode: .truncate)
        bytes = try Data(contentsOf: URL(filePath: path))
    }

    /// Makes the store what it was.
    func restore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.hasPrefix("Log.sqlite") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        try bytes.write(to: URL(filePath: "\(folder)/Log.sqlite"))
    }
}
