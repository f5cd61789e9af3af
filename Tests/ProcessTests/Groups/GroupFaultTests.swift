import CofferSQLite
import Testing

/// What ends a transaction of SQLite, not a savepoint alone; and what is told to the client that met it.
enum Injury: CaseIterable {
    case interrupt, full, ioError, outOfMemory

    var effect: SQLiteFault.Effect {
        switch self {
        case .interrupt: .interrupt
        case .full: .full
        case .ioError: .ioError
        case .outOfMemory: .outOfMemory
        }
    }

    var told: (code: String, reason: String) {
        switch self {
        case .interrupt: ("Cancelled", "interrupted")
        case .full: ("ResourceExhausted", "disk_full")
        case .ioError: ("Internal", "io")
        case .outOfMemory: ("ResourceExhausted", "out_of_memory")
        }
    }
}

extension OneAtATime {
    /// The disk fails under saves of several processes that share a commit.
    @Suite(.serialized) struct GroupFaultTests {
        private static let members = 5
        /// More than the cache holds, so that the member that writes it meets the disk before the commit.
        private static let large = (entries: 30, byteCount: 20_000)

        @Test(arguments: Injury.allCases, [0, members / 2, members - 1])
        func `the member that meets a fault fails, and the others are saved once`(
            injury: Injury, victim: Int
        ) throws {
            try withSaveGroup(Self.members) { group in
                for member in 0..<Self.members where member != victim {
                    try group.insert(1, byteCount: 10, by: member)
                }
                try group.insert(Self.large.entries, byteCount: Self.large.byteCount, by: victim)
                var saved = try group.save(meeting: SQLiteFault(injury.effect, at: .write, on: .wal))
                let failure = try group.members[victim].failure()
                #expect(failure["kind"] == "refused", "\(failure)")
                #expect(
                    failure["code"] == injury.told.code && failure["reason"] == injury.told.reason,
                    "\(failure)")
                #expect(failure["text"]?.isEmpty == false)
                for member in 0..<Self.members where member != victim {
                    saved[try group.members[member].number()] = member
                }
                #expect(saved.keys.sorted() == Array(1...Self.members + 1))
                #expect(try group.disk.faultCount() == 2, "the leader was held, and one write failed")
                #expect(try group.counter("Commits") == 3, "the leader's two, and one for all others")
                #expect(try group.counter("Refusals") == 1)
                try expect(saved, in: group)

                #expect(try group.members[victim].save() == Self.members + 2, "no number was burnt")
                saved[Self.members + 2] = victim
                let watcher = group.members[victim == 0 ? 1 : 0]
                #expect(try told(to: watcher, upTo: Self.members + 2) == saved.keys.sorted())
                try group.end()
                try group.service.kill9()
                try expect(saved, in: group, entriesOf: [victim: Self.large.entries])
            }
        }

        @Test(
            arguments: Injury.allCases.map { ($0, SQLiteFault.Operations.gatheredWrite) } + [
                (.ioError, .sync)
            ])
        func `a commit that fails once for all of them is done again for each`(
            injury: Injury, operation: SQLiteFault.Operations
        ) throws {
            try withSaveGroup(Self.members) { group in
                for member in 0..<Self.members { try group.insert(2, byteCount: 10, by: member) }
                var saved = try group.save(meeting: SQLiteFault(injury.effect, at: operation, on: .wal))
                for (member, client) in group.members.enumerated() { saved[try client.number()] = member }
                #expect(saved.keys.sorted() == Array(1...Self.members + 2))
                #expect(try group.disk.faultCount() == 2)
                try group.end()
                try group.service.kill9()
                let pairs = (0..<Self.members).map { ($0, 2) }
                try expect(saved, in: group, entriesOf: Dictionary(uniqueKeysWithValues: pairs))
            }
        }

        @Test(arguments: Injury.allCases)
        func `a disk that goes on failing fails all of them, and each can save once it works`(
            injury: Injury
        ) throws {
            try withSaveGroup(3) { group in
                for member in 0..<3 { try group.insert(1, byteCount: 10, by: member) }
                var saved = try group.save(
                    meeting: SQLiteFault(
                        injury.effect, at: [.write, .gatheredWrite], on: .wal, repeats: true))
                for client in group.members {
                    let failure = try client.failure()
                    #expect(
                        failure["code"] == injury.told.code && failure["reason"] == injury.told.reason,
                        "\(failure)")
                }
                try expect(saved, in: group)
                try group.disk.heal()
                for (member, client) in group.members.enumerated() { saved[try client.save()] = member }
                #expect(saved.keys.sorted() == Array(1...5))
                try group.end()
                try group.service.kill9()
                try expect(saved, in: group)
            }
        }

        /// Expects the entries of these writers by transaction, each once and no other; one for each
        /// transaction unless `counts` says otherwise.
        private func expect(
            _ saved: [Int: Int], in group: SaveGroup, entriesOf counts: [Int: Int] = [:]
        ) throws {
            let file = try LogFile(group.service)
            try file.expectWhole()
            var entries: [LogFile.Entry: Int] = [:]
            for writer in saved.values {
                for sequence in 0..<(counts[writer] ?? saved.values.count { $0 == writer }) {
                    entries[.init(writer: Int64(writer), sequence: Int64(sequence))] = 1
                }
            }
            #expect(try file.entries() == entries)
            let writers = try file.insertions().mapValues(\.writer)
            #expect(
                writers
                    == Dictionary(uniqueKeysWithValues: saved.map { (Int64($0.key), Int64($0.value)) }),
                "history tells who saved what")
            #expect(try file.number("SELECT count(*) FROM ACHANGE") == entries.count)
        }

        /// The transactions that a client was told of, in order, up to one.
        private func told(to client: ClientProcess, upTo number: Int) throws -> [Int] {
            let events = try client.ask("waitForEvents", ["event": "transaction:\(number)"])["events"] ?? ""
            return events.split(separator: " ").compactMap { event in
                event.hasPrefix("transaction:") ? Int(event.dropFirst("transaction:".count)) : nil
            }
        }
    }
}
