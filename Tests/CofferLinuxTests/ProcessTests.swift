import CofferLinux
import TestSupport
import Testing

@Test
func `a child gets its arguments and environment and nothing else`() throws {
    let (reader, _) = try Pipe.make()
    let script = "echo \"$1 $WORD\"; ls /proc/self/fd | wc -l; exit 3"
    let child = try ChildProcess(
        "/bin/sh", arguments: ["-c", script, "sh", "it's"],
        environment: ["WORD": "so", "PATH": "/usr/bin:/bin"], output: .pipe)
    let lines = try #require(try child.outputLines()?.rest())
    #expect(lines == ["it's so", "4"], "three streams, and the folder that ls reads")
    #expect(try child.waitForExit() == .code(3))
    #expect(try child.waitForExit() == .code(3))
    try child.kill()
    withExtendedLifetime(reader) {}
}

@Test
func `a child that was killed says so`() throws {
    let child = try ChildProcess("sleep", arguments: ["1000"], output: .discarded, errors: .discarded)
    #expect(try child.waitForExit(timeout: .milliseconds(1)) == nil)
    try child.kill(.kill)
    #expect(try child.waitForExit(timeout: .seconds(60)) == .signal(.kill))
}

@Test
func `a child that nobody waits for does not outlive its object`() throws {
    var child: ChildProcess? = try ChildProcess("sleep", arguments: ["1000"])
    let id = try #require(child?.id)
    #expect(ProcessControl.exists(id))
    child = nil
    #expect(!ProcessControl.exists(id))
}

@Test func `a program that is not there cannot be started`() {
    #expect(throws: LinuxError.self) { try ChildProcess("/nowhere/program") }
}

@Test
func `a child writes into a file`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        let file = try folder.openBeneath("out", [.writeOnly, .create])
        let child = try ChildProcess(
            "/bin/sh", arguments: ["-c", "echo a; echo b >&2"], output: .file(file), errors: .pipe)
        #expect(try child.errorLines()?.next(timeout: .seconds(60)) == "b")
        #expect(try child.waitForExit() == .code(0))
        #expect(try folder.read("out", limit: 100) == Array("a\n".utf8))
    }
}

@Test func `facts of this process are plausible`() throws {
    let id = CurrentProcess.id
    #expect(try !ProcessFacts.name(of: id).isEmpty)
    #expect(try ProcessFacts.executablePath(of: id).hasPrefix("/"))
    let memory = try ProcessFacts.memory(of: id)
    #expect(memory.resident > 1 << 20)
    #expect(memory.peakResident >= memory.resident / 2)
    let activity = try ProcessFacts.activity(of: id)
    #expect(activity.threadCount >= 1)
    #expect(activity.voluntarySwitches > 0)
    #expect(activity.ticksPerSecond > 0)
    #expect(CurrentProcess.environment["PATH"] != nil)
    #expect(throws: LinuxError.self) { try ProcessFacts.memory(of: .max) }
}

@Test func `only a regular file of a readable root tells of a sandbox`() throws {
    try withTemporaryFolder { path in
        let root = try Folder(at: path)
        #expect(try FlatpakInfo.read(root: path) == nil)
        #expect(throws: LinuxError.self) { try FlatpakInfo.read(root: "\(path)/gone") }
        let text = "[Application]\nname=org.example.Notes\n\n[Instance]\ninstance-id=12\nname=x\n"
        try root.replace(".flatpak-info", with: Array(text.utf8))
        let info = try FlatpakInfo.read(root: path)
        #expect(info?.applicationID == "org.example.Notes")
        #expect(info?.instanceID == "12")
        for name in ["", "Notes", "org..Notes", "org.1x", "../../x", "org.exämple.x"] {
            try root.replace(".flatpak-info", with: Array("[Application]\nname=\(name)\n".utf8))
            #expect(throws: LinuxError.self) { try FlatpakInfo.read(root: path) }
        }
        try root.unlink(".flatpak-info")
        _ = try root.makeFolders(".flatpak-info")
        #expect(throws: LinuxError.self) { try FlatpakInfo.read(root: path) }
    }
    #expect(throws: LinuxError.self) { try FlatpakInfo.read(pid: .max) }
    #expect(try FlatpakInfo.read(pid: CurrentProcess.id) == nil)
}

@Test func `what the sandbox of a process says is not believed of one that has ended`() throws {
    try withTemporaryFolder { path in
        let child = try ChildProcess("sleep", arguments: ["600"])
        #expect(try FlatpakInfo.read(root: path, of: child.process) == nil)
        let text = "[Application]\nname=org.example.Notes\n"
        try Folder(at: path).replace(".flatpak-info", with: Array(text.utf8))
        #expect(try FlatpakInfo.read(root: path, of: child.process)?.applicationID == "org.example.Notes")
        #expect(try FlatpakInfo.read(root: path, of: nil)?.applicationID == "org.example.Notes")
        try child.kill(.kill)
        try child.waitForExit()
        // The folder may be that of the next with its number.
        #expect(throws: LinuxError.self) { try FlatpakInfo.read(root: path, of: child.process) }
    }
}

@Test func `places follow the specification`() {
    let full = XDG(environment: [
        "HOME": "/home/x/", "XDG_DATA_HOME": "/data//", "XDG_CONFIG_HOME": "relative",
    ])
    #expect(full.dataHome == "/data")
    #expect(full.configHome == "/home/x/.config")
    #expect(full.stateHome == "/home/x/.local/state")
    #expect(full.cacheHome == "/home/x/.cache")
    #expect(full.runtimeFolder == nil)
    #expect(XDG(environment: [:]).dataHome == nil)
}

@Test(arguments: ["/tmp/coffer-test-no-such-socket", "@coffer-test-no-such-name"])
func `a manager that does not listen is an error`(address: String) {
    let notify = Notify(environment: ["NOTIFY_SOCKET": address])
    #expect(throws: LinuxError.self) { try notify.send(.ready) }
}

@Test func `without a manager nothing is sent`() throws {
    #expect(try !Notify(environment: [:]).send(.ready, .status("x")))
    #expect(throws: LinuxError.self) { try Notify(environment: ["NOTIFY_SOCKET": "x"]).send(.ready) }
}
