import CofferDBus
import CofferLinux
import CofferService
import TestSupport
import Testing

@Suite struct `The file with settings` {
    /// A service whose user has these lines in cofferd.conf.
    private func withSettings(
        _ text: String, arguments: [String] = [], environment: [String: String] = [:],
        _ body: (ServiceUnderTest) throws -> Void
    ) throws {
        let service = try ServiceUnderTest(arguments: arguments, environment: environment)
        defer { service.stop() }
        let home = try #require(service.bus.environment["XDG_CONFIG_HOME"])
        let folder = try Folder(at: "/").makeFolders("\(home.dropFirst())/coffer")
        try folder.replace("cofferd.conf", with: Array(text.utf8))
        try body(service)
    }

    @Test func `the service that the bus starts reads the file with settings`()
        throws
    {
        let text = "[cofferd]\nlog-level = error\nslow-fetch = 11\nidle-timeout = 0\nsql-debug = 0\n"
        try withSettings(text) { (service) throws in
            #expect(try service.property("LogLevel")?.stringValue == "error")
            #expect(try service.property("SlowFetchThreshold")?.uint32Value == 11)
        }
        let other = ["COFFER_SLOW_FETCH": "22", "COFFER_SQL_DEBUG": "1"]
        try withSettings(text, arguments: ["--sql-debug", "2"], environment: other) { (service) throws in
            #expect(try service.property("LogLevel")?.stringValue == "error", "the file alone says it")
            #expect(try service.property("SlowFetchThreshold")?.uint32Value == 22, "the environment says it")
            #expect(try service.property("SQLDebug")?.uint32Value == 2, "the flag says it")
        }
    }

    @Test
    func `a mistake in the file with settings is told with its line, and nothing is served`()
        throws
    {
        try withSettings("[cofferd]\n\ndatta = /tmp\n") { (service) throws in
            let log = try Pipe.make()
            let started = try service.startService([], errors: .file(log.writer))
            #expect(try started.waitForExit(timeout: .seconds(60)) == .code(78))
            let text = String(decoding: try log.reader.read(upTo: 4_096), as: UTF8.self)
            #expect(text.contains("coffer/cofferd.conf:3: there is no setting 'datta'"), "\(text)")
            let relative = try service.startService(
                ["--config", "/dev/null", "--data", "stores"], errors: .discarded)
            #expect(
                try relative.waitForExit(timeout: .seconds(60)) == .code(64),
                "there is no file for the path to be relative to")
            let other = try service.startService(["--config", "/nowhere.conf"], errors: .discarded)
            #expect(try other.waitForExit(timeout: .seconds(60)) == .code(78))
        }
    }

    @Test(
        arguments: [
            ["--config", "/dev/null"], ["--idle-timeout", "0"], ["--slow-fetch", "0"],
            ["--log-level", "trace"], ["--log-level", "debug"], ["--log-level", "info"],
            ["--log-level", "notice"], ["--log-level", "warning"], ["--log-level", "error"],
            ["--log-level", "critical"], ["--sql-debug", "0"], ["--sql-debug", "1"], ["--sql-debug", "2"],
        ])
    func `each value that the help names is taken, with no other option`(arguments: [String]) throws {
        let service = try ServiceUnderTest(arguments: arguments)
        defer { service.stop() }
        let level = try service.property("LogLevel")?.stringValue
        #expect(level == (arguments[0] == "--log-level" ? arguments[1] : "notice"))
    }

    @Test func `a file that is masked by a link to nothing says nothing`() throws {
        let service = try ServiceUnderTest(arguments: [])
        defer { service.stop() }
        let home = try #require(service.bus.environment["XDG_CONFIG_HOME"])
        let folder = try Folder(at: "/").makeFolders("\(home.dropFirst())/coffer")
        let link = try ChildProcess(
            "ln", arguments: ["-s", "/dev/null", "\(folder.path)/cofferd.conf"])
        #expect(try link.waitForExit() == .code(0))
        #expect(try service.property("LogLevel")?.stringValue == "notice")
    }
}
