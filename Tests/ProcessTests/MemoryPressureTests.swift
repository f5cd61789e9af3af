import CofferDBus
import CofferLinux
import CofferService
import TestSupport
import Testing

/// What the service does when memory is short: told by a pipe, as a service manager may do it, and by the
/// kernel.
extension OneAtATime {
    @Suite(.serialized) struct MemoryPressureTests {
        private static let entryCount = 4_000
        private static let title = String(repeating: "A title of some length. ", count: 20)

        @Test
        func `short memory makes the caches smaller, and nothing is lost`() throws {
            try withTemporaryFolder { folder in
                let pipe = "\(folder)/pressure"
                try run("mkfifo", [pipe])
                try withService(environment: ["MEMORY_PRESSURE_WATCH": pipe]) { service in
                    let (holder, other) = try fill(service)
                    var bytes = try service.counter("CacheBytes")
                    #expect(try service.counter("CacheRows") >= Self.entryCount)
                    // Told twice: what was told before must not keep it from hearing more.
                    for round in 1...2 {
                        try Folder(at: folder).openBeneath("pressure", [.writeOnly]).writeAll([1])
                        #expect(try waitForShrink(in: service, after: round - 1) == round)
                        #expect(try service.counter("CacheBytes") <= bytes / 2)
                        bytes = try service.counter("CacheBytes")
                    }
                    #expect(try service.counter("CacheRows") < Self.entryCount / 2)
                    try expectShown(service)
                    try expectNothingLost(service, holder, other)
                }
            }
        }

        @Test(
            .enabled(if: MemoryGroup.isPossible, "no control group with little memory can be made here"))
        func `the kernel's pressure makes the caches smaller`() throws {
            guard let group = MemoryGroup() else { throw ServiceUnderTest.Missing() }
            defer { group.remove() }
            try withTemporaryFolder { folder in
                // A file of a disk: one in memory does not go away for want of it.
                let file = "/var/tmp/coffer-hog-\(Randomness.words().0)"
                defer { for hog in 0..<2 { _ = try? Folder(at: "/").unlink("\(file.dropFirst())\(hog)") } }
                try withService { service in
                    let (holder, other) = try fill(service)
                    let bytes = try service.counter("CacheBytes")
                    let python = try PythonProgram(messagesIn: folder)
                    let hogs = try (0..<2).map {
                        try python.start("hog", [group.tasks, "\(file)\($0)"], on: service.bus)
                    }
                    defer {
                        for hog in hogs {
                            try? hog.kill(.kill)
                            _ = try? hog.waitForExit(timeout: .seconds(20))
                        }
                    }
                    for hog in hogs { _ = try hog.outputLines()?.next(timeout: .seconds(60)) }
                    try waitForShrink(in: service, after: 0)
                    #expect(try service.counter("CacheBytes") <= bytes / 2)
                    try expectNothingLost(service, holder, other)
                }
            }
        }

        @Test(arguments: ["/dev/null", "/nowhere/at/all", ""])
        func `a service that is to watch nothing serves all the same`(path: String) throws {
            try withService(environment: ["MEMORY_PRESSURE_WATCH": path]) { service in
                let client = try ClientProcess(service)
                try client.insert(1)
                #expect(try client.count() == 1)
                #expect(try client.end() == .code(0))
            }
        }

        @Test
        func `checks and vacuums run at idle priority, and are counted`() throws {
            try withService { service in
                let client = try ClientProcess(service)
                try client.insert(1)
                #expect(try service.counter("IdleWork") == 0)
                let path = try #require(try service.managedObjects().first { $0.hasSuffix("/Log") })
                #expect(try service.integrity(of: path).isEmpty)
                #expect(try service.counter("IdleWork") == 1)
                _ = try service.connection().call(
                    BusNames.name, path: path, interface: "org.coffer.Storage1.Store", member: "Vacuum")
                #expect(try service.counter("IdleWork") == 2)
                #expect(try client.end() == .code(0))
            }
        }

        /// A store of entries, which two clients hold.
        private func fill(_ service: ServiceUnderTest) throws -> (ClientProcess, ClientProcess) {
            let holder = try ClientProcess(service, name: "holder")
            try holder.ask(
                "batchInsert",
                ["writer": "1", "count": "\(Self.entryCount)", "title": Self.title])
            try holder.ask("fetch", ["as": "it", "sequence": "7"])
            let other = try ClientProcess(service, name: "other")
            try other.ask("fetch", ["as": "it", "sequence": "7"])
            return (holder, other)
        }

        /// Asks until memory was given back once more; gives how often it was.
        @discardableResult
        private func waitForShrink(in service: ServiceUnderTest, after count: Int) throws -> Int {
            var now = count
            try waitUntil("memory is given back") {
                now = try service.counter("CacheShrinks")
                return now > count
            }
            return now
        }

        /// The tool tells the same as the bus.
        private func expectShown(_ service: ServiceUnderTest) throws {
            let status = try ChildProcess(
                BuiltProducts.path(of: "coffer"), arguments: ["status", "--format", "csv"],
                environment: service.bus.environment, output: .pipe)
            let lines = try status.outputLines()?.rest() ?? []
            let shrinks = try service.counter("CacheShrinks")
            #expect(
                lines.contains { $0.hasPrefix("store,") && $0.hasSuffix(",CacheShrinks,\(shrinks)") },
                "\(lines)")
        }

        /// Rows that the cache gave up are read from the file; clients that held them still hear of their
        /// changes.
        private func expectNothingLost(
            _ service: ServiceUnderTest, _ holder: ClientProcess, _ other: ClientProcess
        ) throws {
            try holder.ask("set", ["as": "it", "title": "changed"])
            let number = try holder.save()
            try other.ask("waitForMerge", ["number": "\(number)"])
            #expect(try other.ask("value", ["as": "it"])["title"] == "changed")
            for sequence in [0, 7, Self.entryCount - 1] {
                // Another context: what this one holds it need not ask for.
                let late = try ClientProcess(service, name: "late")
                #expect(
                    try late.ask("fetch", ["as": "it", "sequence": "\(sequence)"])["count"]
                        == "\(Self.entryCount)")
                try late.ask("refresh", ["as": "it"])
                let title = try late.ask("value", ["as": "it"])["title"]
                #expect(title == (sequence == 7 ? "changed" : Self.title))
                #expect(try late.end() == .code(0))
            }
            try other.ask("refresh", ["as": "it"])
            #expect(try other.ask("value", ["as": "it"])["title"] == "changed")
            for client in [holder, other] { #expect(try client.end() == .code(0)) }
        }
    }
}
