import Coffer
import CofferDBus
import CofferLinux
import CofferService
import TestSupport
import Testing

/// The root of the sources.
private let root = "\(#filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined())"

/// Installs with what was built for the tests, as a user does.
private func install(_ environment: [String: String], _ arguments: String...) throws {
    let cofferd = try BuiltProducts.path(of: "cofferd")
    let products = String(cofferd.dropLast("/cofferd".count))
    let script = try ChildProcess(
        "\(root)/dbus/install", arguments: ["--user", "--from", products] + arguments,
        environment: environment,
        output: .discarded)
    guard try script.waitForExit() == .code(0) else { throw ServiceUnderTest.Missing() }
}

/// Lends a service that `dbus/install` has installed and a real service manager starts.
///
/// If there is no such manager, the test case is cancelled, and Tests/run tells so at its end.
private func withManagedService(
    _ daemon: PrivateBus.Daemon, environment: [String: String] = [:],
    _ body: (ServiceUnderTest) throws -> Void
) throws {
    if let obstacle = PrivateBus.obstacle(to: daemon) {
        let why = "a service under systemd with \(daemon.rawValue); \(obstacle)"
        print("SKIPPED: \(why)")  // The library tells of whole tests alone.
        #if compiler(>=6.3)
        try Test.cancel("\(why)")
        #else
        return
        #endif
    }
    let bus = try PrivateBus(managedWith: daemon, extraEnvironment: environment) { try install($0) }
    let service = try ServiceUnderTest(managedBy: bus)
    defer { service.stop() }
    try body(service)
}

private let unit = "cofferd.service"

extension OneAtATime {
    /// The installed service under `systemd --user`, with the bus that it has: activation through the unit,
    /// with all that confines it.
    @Suite(.serialized) struct ManagedServiceTests {
        @Test(arguments: PrivateBus.Daemon.allCases)
        func `the installed unit is started by a call, works, and comes back whenever it is killed`(
            daemon: PrivateBus.Daemon
        ) throws {
            try withManagedService(daemon) { service in
                let client = try ClientProcess(service)
                let first = try client.insert(0)
                let pid = try #require(try service.pid())
                #expect(try service.bus.mainProcess(ofUnit: unit) == pid)
                let status = try Folder(at: "/proc/\(pid)").read("status", limit: 1 << 16)
                #expect(String(decoding: status, as: UTF8.self).contains("Seccomp:\t2"), "it is confined")

                // More often than systemd starts a unit by default within so short a time.
                for round in 1...8 {
                    try service.killOnceItRuns()
                    #expect(try client.insert(round) == first + round)
                }
                #expect(try client.count() == 9)
                #expect(try service.integrity(ofStore: "Log") == [])
                #expect(try client.end() == .code(0))
                #expect(try service.bus.mainProcess(ofUnit: unit) == service.pid())

                try service.bus.stop(unit: unit)
                #expect(try service.pid() == nil)
                #expect(try service.bus.property("Result", ofUnit: unit) == "success")
            }
        }

        @Test
        func `the installed tool and service do what they promise, and are gone when uninstalled`() throws {
            try withManagedService(.daemon) { service in
                let environment = service.bus.environment
                let (home, data) = ("\(service.bus.path)/home", "\(service.bus.path)/data")
                func coffer(_ arguments: String...) throws -> [String] {
                    let tool = try ChildProcess(
                        "\(home)/.local/bin/coffer", arguments: arguments, environment: environment,
                        output: .pipe)
                    let lines = try tool.outputLines()?.rest() ?? []
                    #expect(try tool.waitForExit() == .code(0), "\(arguments)")
                    return lines
                }
                let model = "\(root)/dbus/demo.d/Codes.xcdatamodel"
                try #require(coffer("store", "add", "Codes", "--model", model).count == 2)
                let codes = (0..<2_000).map { #"{"writer": "w", "number": \#($0)}"# }
                try Folder(at: home).replace(
                    "entries.json", with: Array("[\(codes.joined(separator: ","))]".utf8))
                // Imports ask for an idle disk, copies for a folder anywhere: both are what filters are fond
                // of refusing.
                _ = try coffer("import", "Codes", "Entry", "\(home)/entries.json")
                let counters = try coffer("status", "--format", "csv")
                #expect(counters.contains { $0.hasSuffix(",IdleWork,4") }, "\(counters)")
                _ = try coffer("store", "backup", "Codes", "\(home)/copy.store")
                _ = try coffer("store", "replace", "Codes", "\(home)/copy.store", "--yes")
                #expect(try coffer("fetch", "Codes", "Entry", "--count", "--format", "csv").last == "2000")

                try install(environment, "--uninstall")
                let find = try ChildProcess(
                    "find", arguments: [data, "\(home)/.local", "-type", "f"], output: .pipe)
                let left = try find.outputLines()?.rest() ?? []
                #expect(try find.waitForExit() == .code(0))
                #expect(!left.isEmpty && left.allSatisfy { $0.hasPrefix("\(data)/coffer/") }, "\(left)")
            }
        }

        @Test(
            arguments: PrivateBus.Daemon.allCases, Seed.several(1))
        func `no call of an application is lost that races with the end of an idle unit`(
            daemon: PrivateBus.Daemon, seed: Seed
        ) throws {
            try withManagedService(daemon, environment: ["COFFER_IDLE_TIMEOUT": "0.002"]) { service in
                var random = seed.generator()
                let moment = try RandomMoment()
                var pids: Set<Int32> = []
                let calls = try race(200, until: pids.count > 20) { round in
                    try moment.pass(within: 6_000, &random)
                    service.expectAnswer(round: round, seed: seed)
                    if let pid = try service.pid() { pids.insert(pid) }
                }
                print(
                    "idle exit under systemd with \(daemon.rawValue): \(calls) calls, \(pids.count) processes seen"
                )
            }
        }
    }
}
