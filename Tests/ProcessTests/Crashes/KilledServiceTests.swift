import CofferCoordination
import CofferLinux
import CofferSQLite
import TestSupport
import Testing

/// What the writers of a test were told is saved.
private struct Acknowledgement: Sendable, Hashable {
    let entry: LogFile.Entry
    let number: Int64
}

extension OneAtATime {
    @Suite(.serialized) struct KilledServiceTests {
        @Test(arguments: Seed.several(1), ["WAL", "DELETE"])
        func `what is acknowledged survives, once, whenever the service is killed`(
            seed: Seed, journalMode: String
        ) throws {
            print("killed at random moments, journal mode \(journalMode), seed \(seed)")
            try withService { service in
                let acknowledged = try writeAndKill(
                    service, writers: 8, saves: 200, kills: 10, journalMode: journalMode, seed: seed)
                #expect(acknowledged.count == 1_600)
                #expect(Set(acknowledged.map(\.number)).count == 1_600, "no two saves have one number")
                #expect(try service.integrity(ofStore: "Log") == [])
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                let entries = try file.entries()
                #expect(Set(entries.keys) == Set(acknowledged.map(\.entry)))
                #expect(entries.values.allSatisfy { $0 == 1 }, "nothing is there twice")
                let insertions = try file.insertions()
                #expect(insertions.count == 1_600)
                let wrong = acknowledged.filter { insertions[$0.number] != $0.entry }
                #expect(
                    wrong.isEmpty, "acknowledged with another number than history has: \(wrong.prefix(3))")
            }
        }

        /// Lets writers save while the service is killed; every one of them must come to its end.
        private func writeAndKill(
            _ service: ServiceUnderTest, writers: Int, saves: Int, kills: Int, journalMode: String, seed: Seed
        ) throws -> [Acknowledgement] {
            let clients = try (0..<writers).map {
                try ClientProcess(service, name: "writer \($0)", journalMode: journalMode)
            }
            for (writer, client) in clients.enumerated() {
                try client.post("saveLoop", ["writer": "\(writer)", "count": "\(saves)"])
            }
            var random = seed.generator()
            var moments = (0..<kills).map { _ in
                Int.random(in: 0..<(writers * saves * 9 / 10), using: &random)
            }
            moments.sort()
            var acknowledged: [Acknowledgement] = []
            var (killed, interrupted) = (0, 0)
            // One line of each in turn, as soon as it is there.
            for _ in 0..<saves {
                for client in clients {
                    acknowledged.append(try acknowledgement(client))
                    while killed < kills, acknowledged.count > moments[killed] {
                        try service.killOnceItRuns()
                        killed += 1
                    }
                }
            }
            for client in clients {
                let answer = try client.answer()
                #expect(answer["done"] == "\(saves)")
                interrupted += Int(answer["losses"] ?? "") ?? 0
                #expect(try client.end() == .code(0))
            }
            #expect(killed == kills)
            print("\(writers) writers lost the service \(interrupted) times in all before their last save")
            #expect(interrupted > kills * writers / 2, "they were not in the middle of their work")
            return acknowledged
        }

        private func acknowledgement(_ client: ClientProcess) throws -> Acknowledgement {
            let line = try client.answer()
            guard let writer = line["writer"].flatMap({ Int64($0) }),
                let sequence = line["sequence"].flatMap({ Int64($0) }),
                let number = line["number"].flatMap({ Int64($0) })
            else { throw ClientProcess.Failure(answer: line) }
            return Acknowledgement(entry: .init(writer: writer, sequence: sequence), number: number)
        }

        @Test(arguments: CrashPoint.ofSave)
        func `a save is there once wherever the service stops`(point: CrashPoint) throws {
            try withStoppableService { service, place in
                // With a checkpoint after every commit.
                let writer = try ClientProcess(service, name: "writer", checkpointPages: 1)
                let first = try writer.insert(1)
                let reader = try ClientProcess(service, name: "reader")
                #expect(try reader.count() == 1)
                try place.arm(point)
                try writer.ask("insert", ["as": "it", "sequence": "2", "title": "B"])
                try writer.post("save")
                try place.waitUntilReached(point)
                try service.kill9()
                // The client sends the save again by itself, under the same id.
                #expect(Int(try writer.answer()["number"] ?? "") == first + 1)
                try reader.ask("waitForMerge", ["number": "\(first + 1)"])
                #expect(try reader.count() == 2 && writer.count() == 2)
                #expect(try writer.insert(3) == first + 2, "the save took one number")
                try reader.ask("waitForMerge", ["number": "\(first + 2)"])
                let events = try reader.ask("waitForEvents", ["event": "reconnected"])["events"] ?? ""
                for number in first + 1...first + 2 {
                    let times = events.split(separator: " ").count { $0 == "transaction:\(number)" }
                    #expect(times == 1, "every transaction is told once: \(events)")
                }
                #expect(try service.integrity(ofStore: "Log") == [])
                for client in [writer, reader] { #expect(try client.end() == .code(0)) }
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                #expect(
                    try file.entries()
                        == Dictionary(
                            uniqueKeysWithValues: (1...3).map { (.init(writer: 0, sequence: $0), 1) }))
            }
        }

        @Test(arguments: CrashPoint.ofLargeValue + [.beforeCommit, .afterCommit])
        func `a large value is there with its row wherever the service stops`(point: CrashPoint) throws {
            try withStoppableService { service, place in
                let writer = try ClientProcess(service, name: "writer")
                try writer.ask("insert", ["as": "it", "sequence": "1", "picture": "200001"])
                let first = try writer.save()
                try writer.ask("insert", ["as": "other", "sequence": "2", "picture": "200002"])
                try writer.ask("set", ["as": "it", "picture": "200003"])
                try place.arm(point)
                try writer.post("save")
                try place.waitUntilReached(point)
                try service.kill9()
                #expect(Int(try writer.answer()["number"] ?? "") == first + 1)
                #expect(try service.integrity(ofStore: "Log") == [])
                #expect(try writer.end() == .code(0))
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                let pictures = try file.pictures()
                #expect(pictures.inRows == pictures.inFolder)
                #expect(pictures.sizes == [200_002, 200_003])
            }
        }

        @Test
        func `a store that is being made when the service is killed is made`() throws {
            try withService { service in
                for round in 0..<8 {
                    let client = try ClientProcess(service, opens: false)
                    try client.post("open", ["store": "New \(round)"])
                    try service.killOnceItRuns()
                    try client.answer()
                    #expect(try client.insert(1) == 1)
                    #expect(try client.end() == .code(0))
                    #expect(try service.integrity(ofStore: "New \(round)") == [])
                    try service.kill9()
                    let names = try Folder(at: LogFile.folder(service)).names().filter {
                        $0.hasPrefix("New \(round)")
                    }
                    #expect(
                        Set(names).isSubset(
                            of: ["", "-wal", "-shm", ".lock"].map { "New \(round).sqlite\($0)" }), "\(names)")
                }
            }
        }

        @Test(arguments: Seed.several(1))
        func `a client that watched while the service was killed has what the store has`(seed: Seed) throws {
            print("watched while it was killed, seed \(seed)")
            try withService { service in
                let writers = try (0..<3).map { try ClientProcess(service, name: "writer \($0)") }
                for (writer, client) in writers.enumerated() {
                    try client.post("saveLoop", ["writer": "\(writer)", "count": "10"])
                    while try client.answer()["done"] == nil {}
                }
                let watcher = try ClientProcess(service, name: "watcher")
                #expect(try watcher.ask("fetch")["count"] == "30")
                for (writer, client) in writers.enumerated() {
                    try client.post(
                        "updateLoop",
                        ["writer": "\(writer)", "count": "60", "seed": "\(seed.value &+ UInt64(writer))"])
                }
                var random = seed.generator()
                var last = 0
                for _ in 0..<60 {
                    for client in writers { last = max(last, Int(try client.answer()["number"] ?? "") ?? 0) }
                    if Int.random(in: 0..<10, using: &random) == 0 { try service.killOnceItRuns() }
                }
                for client in writers { #expect(try client.answer()["done"] == "60") }
                try watcher.ask("waitForMerge", ["number": "\(last)"])
                let seen = try watcher.ask("titles")
                let reader = try ClientProcess(service, name: "reader")
                try reader.ask("fetch")
                #expect(try reader.ask("titles") == seen)
                #expect(seen.count == 30)
                let events =
                    try watcher.ask("waitForEvents", ["event": "transaction:\(last)"])["events"] ?? ""
                let numbers = events.split(separator: " ").compactMap { event in
                    event.hasPrefix("transaction:") ? Int(event.dropFirst("transaction:".count)) : nil
                }
                #expect(numbers == Array((numbers.first ?? 0)...last), "in order, without gaps, once")
                for client in writers + [watcher, reader] { #expect(try client.end() == .code(0)) }
            }
        }

        @Test
        func `a client that was away for longer than history is kept loads anew, and has what the store has`()
            throws
        {
            try withService { service in
                let writer = try ClientProcess(service, name: "writer")
                try writer.post("saveLoop", ["writer": "0", "count": "20"])
                while try writer.answer()["done"] == nil {}
                let reader = try ClientProcess(service, name: "reader")
                #expect(try reader.ask("fetch", ["as": "it", "sequence": "3"])["count"] == "20")
                try reader.ask("set", ["as": "it", "body": "mine"])
                // What comes now waits for it in no buffer: it stands still, and its service is dead.
                try reader.child.kill(.stop)
                try service.kill9()
                var last = 0
                try writer.post("updateLoop", ["writer": "0", "count": "30"])
                while case let answer = try writer.answer(), answer["done"] == nil {
                    last = Int(answer["number"] ?? "") ?? 0
                }
                #expect(try writer.end() == .code(0))
                try service.kill9()
                try SQLiteConnection(path: LogFile.path(service), mode: .readWrite)
                    .execute(
                        "INSERT INTO COFFER_STATE(name, value) SELECT 'retention_mark:1000', max(Z_PK) FROM ATRANSACTION"
                    )
                // A later start deletes what is too old, before the first write.
                let other = try ClientProcess(service, name: "other")
                #expect(try other.insert(99) == last + 1)

                try reader.child.kill(.resume)
                let events = try reader.ask("waitForEvents", ["event": "reconnected"])["events"] ?? ""
                #expect(events.contains(" reload:\(last + 1) reconnected"), "\(events)")
                try reader.ask("waitForMerge", ["number": "\(last + 1)"])
                let value = try reader.ask("value", ["as": "it"])
                #expect(
                    value["body"] == "mine" && value["changed"] == "body", "a local change stays: \(value)")
                let held = try reader.ask("titles")
                try other.ask("fetch")
                let stored = try other.ask("titles")
                #expect(held.count == 20 && stored.count == 21)
                #expect(held.allSatisfy { stored[$0.key] == $0.value })
                #expect(try reader.ask("fetch")["count"] == "21")
                #expect(try reader.ask("titles") == stored)
                #expect(try reader.save() == last + 2)
                for client in [reader, other] { #expect(try client.end() == .code(0)) }
            }
        }

        @Test
        func `a client that was away catches up through history`() throws {
            try withStoppableService { service, place in
                let writer = try ClientProcess(service, name: "writer")
                let first = try writer.insert(1, as: "it")
                let reader = try ClientProcess(service, name: "reader")
                try reader.ask("fetch", ["as": "it", "sequence": "1"])
                let before = try reader.roundTrips()
                try writer.ask("set", ["as": "it", "title": "B"])
                try place.arm(.afterCommit)
                try writer.post("save")
                try place.waitUntilReached(.afterCommit)
                try service.kill9()
                #expect(Int(try writer.answer()["number"] ?? "") == first + 1)
                let events = try reader.ask("waitForEvents", ["event": "reconnected"])["events"] ?? ""
                #expect(events.hasSuffix("disconnected transaction:\(first + 1) reconnected"), "\(events)")
                try reader.ask("waitForMerge", ["number": "\(first + 1)"])
                #expect(try reader.ask("value", ["as": "it"])["title"] == "B")
                // History tells what changed, not to what: the object is read again, and nothing else.
                #expect(try reader.roundTrips() <= before + 1)
                for client in [writer, reader] { #expect(try client.end() == .code(0)) }
            }
        }
    }
}
