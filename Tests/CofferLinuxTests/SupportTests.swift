import CofferLinux
import TestSupport
import Testing

@Test(arguments: [false, true])
func `a private bus activates its services and leaves nobody behind`(systemStyle: Bool) async throws {
    let policy = """
        <busconfig><policy context="default">
          <allow own="org.example.Sleeper"/><allow send_destination="org.example.Sleeper"/>
        </policy></busconfig>
        """
    let service = PrivateBus.Service(
        name: "org.example.Sleeper", executable: "/bin/sh",
        arguments: ["-c", "echo \"it's $HOME\" > $HOME/started; exec sleep 1000"])
    let bus = try PrivateBus(services: [service], systemStyle: systemStyle, policy: policy)
    defer { bus.stop() }
    #expect(bus.address.hasPrefix("unix:path=\(bus.path)/bus"))
    #expect(try bus.processes() == [bus.processID])
    // The service says through a pipe that it runs.
    let pipe = "\(bus.path)/home/started"
    #expect(try ChildProcess("mkfifo", arguments: [pipe]).waitForExit() == .code(0))
    let reader = try ChildProcess("cat", arguments: [pipe], output: .pipe)
    let call = try ChildProcess(
        "dbus-send",
        arguments: [
            "--bus=\(bus.address)", "--type=method_call", "--dest=org.example.Sleeper", "/",
            "org.example.Sleeper.Wake",
        ], environment: bus.environment)
    #expect(try call.waitForExit() == .code(0))
    let lines = try #require(reader.outputLines())
    #expect(try lines.next(timeout: .seconds(60)) == "it's \(bus.path)/home")
    let started = try bus.processes()
    #expect(started.count > 1)
    bus.stop()
    #expect(throws: LinuxError.self) { try Folder(at: bus.path) }
    for id in started {
        // A process that was killed may take a moment to end. Another process reaps orphans; a zombie has no
        // memory any more.
        try waitUntil("process \(id) has ended") { (try? ProcessFacts.memory(of: id)) == nil }
    }
}

@Test func `a bus with a broken policy does not start`() {
    #expect(throws: PrivateBus.NotStarted.self) {
        try PrivateBus(systemStyle: true, policy: "<nonsense>")
    }
}

@Test func `a product that was not built is told by name`() {
    #expect(throws: BuiltProducts.Missing.self) { try BuiltProducts.path(of: "no-such-program") }
}
