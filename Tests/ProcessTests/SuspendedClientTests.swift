import CofferLinux
import TestSupport
import Testing

/// An application whose process does not run for a while, as one that is suspended.
@Suite(.serialized) struct SuspendedClientTests {
    /// Posts a command that prints each save; gives the number of the last one.
    private func saves(_ client: ClientProcess, _ verb: String, _ command: [String: String]) throws -> Int {
        try client.post(verb, command)
        var last = 0
        while true {
            let line = try client.answer()
            if line["done"] != nil { return last }
            last = Int(line["number"] ?? "") ?? last
        }
    }

    @Test(.leftToAll, arguments: Seed.several(1))
    func `a suspended client ends equal, though more was saved than the service keeps for it`(
        seed: Seed
    ) throws {
        try withService { service in
            let writer = try ClientProcess(service, name: "writer")
            for number in 0..<2 { _ = try saves(writer, "saveLoop", ["writer": "\(number)", "count": "20"]) }
            let reader = try ClientProcess(service, name: "reader")
            try reader.ask("fetch")
            #expect(try reader.ask("titles").count == 40)
            let trips = try reader.roundTrips()

            try reader.child.kill(.stop)
            let idle = try service.memory().resident
            try writer.ask("fetch")
            // Some three megabytes of pushes; half a megabyte is kept for a client.
            for round in 0..<3 {
                _ = try saves(
                    writer, "updateLoop",
                    ["writer": "\(round % 2)", "count": "2000", "seed": "\(seed.value &+ UInt64(round))"])
            }
            try writer.ask("batchUpdate", ["writer": "1", "title": "of a batch"])
            let number = try saves(
                writer, "updateLoop", ["writer": "0", "count": "1", "seed": "\(seed.value)"])
            #expect(try service.memory().resident - idle <= 8 << 20)

            try reader.child.kill(.resume)
            try reader.ask("waitForMerge", ["number": "\(number)"])
            let seen = try reader.ask("titles")
            try writer.ask("fetch")
            #expect(try seen == writer.ask("titles"), "COFFER_SEED=\(seed)")
            #expect(seen.count { $0.value == "of a batch" } == 20)
            #expect(try reader.roundTrips() > trips, "it came by history, not by pushes alone")
            for process in [writer, reader] { #expect(try process.end() == .code(0)) }
            #expect(try service.integrity(of: Notes.path("Log", user: CurrentProcess.userID)) == [])
        }
    }
}
