import CofferDBus
import CofferLinux
import CofferSQLite
import CofferService
import Foundation
import TestSupport
import Testing

/// What managers and administrators have of a running service.
@Suite(.serialized) struct SupervisionTests {
    private func call(_ service: ServiceUnderTest, _ member: String, _ body: [DBusValue] = []) throws {
        _ = try service.connection().call(
            BusNames.name, path: BusNames.path, interface: BusNames.name, member: member, body: body)
    }

    /// Starts `cofferd` with variables of its environment, and waits until it has its name.
    private func start(
        _ service: ServiceUnderTest, _ arguments: [String], _ environment: [String: String]
    ) throws -> ChildProcess {
        let child = try ChildProcess(
            BuiltProducts.path(of: "cofferd"), arguments: ["--data", service.data] + arguments,
            environment: service.bus.environment.merging(environment) { $1 }, errors: .pipe)
        try waitUntil("the service has its name") { try service.pid() != nil }
        return child
    }

    @Test
    func `what is logged is set while the service runs, and marked for the journal`() throws {
        try withService { service in
            let child = try start(
                service, ["--idle-timeout", "0", "--log-level", "notice"], ["JOURNAL_STREAM": "8:1"])
            let lines = try #require(child.errorLines())
            let quiet = try service.channel("org.coffer.Quiet")
            _ = try quiet.open()
            try call(service, "SetLogLevel", [.string("debug")])
            let told = try service.channel("org.coffer.Told")
            _ = try told.open()
            try call(service, "SetLogLevel", [.string("error")])
            let after = try service.channel("org.coffer.After")
            _ = try after.open()
            try ProcessControl.kill(child.id, .terminate)
            #expect(try child.waitForExit(timeout: .seconds(60)) == .code(0))
            let all = try lines.rest()
            #expect(
                all.contains { $0.hasPrefix("<6>Opened a store") && $0.contains("org.coffer.Told") }, "\(all)"
            )
            #expect(
                !all.contains { $0.contains("org.coffer.Quiet") || $0.contains("org.coffer.After") }, "\(all)"
            )
            #expect(all.allSatisfy { $0.hasPrefix("<") }, "each has its mark: \(all)")
        }
    }

    @Test
    func `a service manager is told that the service is ready, and that it stops since nobody uses it`()
        throws
    {
        try withService { service in
            try withTemporaryFolder { folder in
                let program = """
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                    s.bind(sys.argv[1])
                    print("listening", flush=True)
                    while True: print(s.recv(4096).decode().replace("\\n", " "), flush=True)
                    """
                let manager = try ChildProcess(
                    "/usr/bin/python3", arguments: ["-c", program, folder + "/notify"], output: .pipe)
                defer { try? manager.kill(.kill) }
                let heard = try #require(manager.outputLines())
                #expect(try heard.next(timeout: .seconds(60)) == "listening")
                let child = try ChildProcess(
                    BuiltProducts.path(of: "cofferd"),
                    arguments: ["--data", service.data, "--idle-timeout", "0.1"],
                    environment: service.bus.environment.merging(["NOTIFY_SOCKET": folder + "/notify"]) { $1 }
                )
                #expect(try heard.next(timeout: .seconds(60))?.contains("READY=1") ?? false)
                #expect(try heard.next(timeout: .seconds(60))?.contains("STOPPING=1") ?? false)
                #expect(try child.waitForExit(timeout: .seconds(60)) == .code(0))
                #expect(try service.pid() == nil)
            }
        }
    }

    @Test
    func `Flush moves what was saved into the stores' files`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            try client.insert((0..<20).map { "note \($0)" }, into: store)
            let path = try service.file(ofStore: "Notes")
            // The file alone, as if its log were lost.
            func rows() throws -> String? {
                try withTemporaryFolder { folder in
                    try FileManager.default.copyItem(atPath: path, toPath: folder + "/copy")
                    let statement = try SQLiteConnection(path: folder + "/copy").prepare(
                        "SELECT count(*) FROM ZNOTE")
                    return try statement.step() ? statement.text(0) : nil
                }
            }
            #expect(try rows() == "0")
            try call(service, "Flush")
            #expect(try rows() == "20")
        }
    }

    @Test
    func `a client whose channel an administrator hangs up comes back by itself, and loses nothing`() throws {
        try withService { service in
            let client = try ClientProcess(service, name: "client")
            let reader = try ClientProcess(service, name: "reader")
            try client.insert(1, as: "it")
            try reader.ask("fetch", ["as": "it", "sequence": "1"])
            #expect(try reader.ask("value", ["as": "it"])["title"] == "A")
            let paths = try service.managedObjects().filter { $0.contains("/clients/") }
            #expect(paths.count == 2)
            try client.ask("set", ["as": "it", "title": "unsaved"])
            for path in paths {
                _ = try service.connection().call(
                    BusNames.name, path: path, interface: "\(BusNames.name).Client", member: "Disconnect")
            }
            let number = try client.save()
            try reader.ask("waitForMerge", ["number": "\(number)"])
            #expect(try reader.ask("value", ["as": "it"])["title"] == "unsaved")
            let now = try service.managedObjects().filter { $0.contains("/clients/") }
            #expect(now.count == 2 && Set(now).isDisjoint(with: paths))
            for process in [client, reader] { #expect(try process.end() == .code(0)) }
        }
    }
}
