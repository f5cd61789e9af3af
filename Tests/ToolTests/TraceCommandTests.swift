import CofferLinux
import TestSupport
import Testing

/// A program that writes lines where a context would write its events.
private let writesEvents = "printf '%s\\n' \"$@\" > \"$COFFER_TRACE\"; exit 3"

@Test
func `numbers that nothing real has are summed up, and the command ends as its program does`() throws {
    try withTool { (coffer) throws in
        func event(_ name: String, _ rest: String) -> String {
            #"{"name":"\#(name)","cat":"client","ph":"X",\#(rest)}"#
        }
        let outcome = try coffer(
            "trace", "--format", "csv", "--", "/bin/sh", "-c", writesEvents, "sh",
            event("save", #""dur":1e300,"args":{"rows":9223372036854775807}"#),
            event("save", #""dur":1e300,"args":{"rows":9223372036854775807}"#),
            event("save", #""dur":-1e300,"args":{"rows":-9223372036854775808}"#),
            event("dropped", #""args":{"count":9223372036854775807}"#),
            event("dropped", #""args":{"count":9223372036854775807}"#),
            event("save", #""dur":1,"args":{"rows":1e300}"#))
        #expect(outcome.code == 3, "\(outcome.errors)")
        let line = try #require(outcome.lines.first { $0.contains("save") })
        let numbers = "3,63244800000.000,21081600000.000,31622400000.000,9223372036854775807"
        #expect(line == "\"\",client,save,\(numbers)")
        #expect(outcome.errors.contains("9223372036854775807 events were lost"))
    }
}

@Test
func `a recording that is to end asks its program to, and says how it did`() throws {
    try withTool { (coffer) throws in
        let trapping = "trap 'kill $!; exit 7' TERM; tail -f /dev/null & echo started; wait"
        let child = try coffer.start("trace", "--", "/bin/sh", "-c", trapping)
        let lines = try #require(child.outputLines())
        #expect(try lines.next() == "started")
        try child.kill(.interrupt)
        #expect(try child.waitForExit() == .code(7))
        let outcome = try coffer("trace", "--duration", "0.2", "--", "tail", "-f", "/dev/null")
        #expect(outcome.code == 128 + 15)
        #expect(outcome.errors.contains("'tail' was ended by signal 15"), "\(outcome.errors)")
    }
}

@Test
func `a recorded program has the input of the command`() throws {
    try withTool { (coffer) throws in
        let child = try coffer.shell("echo given | $coffer trace -- cat")
        #expect(try child.outputLines()?.rest().first == "given")
        #expect(try child.waitForExit() == .code(0))
    }
}

@Test
func `a program that cannot be run is told of as such`() throws {
    try withTool { (coffer) throws in
        let missing = try coffer("trace", "--", "/none/such")
        #expect(missing.code == 66)
        #expect(missing.errors.hasPrefix("coffer: '/none/such' cannot be run ("), "\(missing.errors)")
        let refused = try coffer("trace", "--", try coffer.write("plain.txt", "text"))
        #expect(refused.code == 77, "\(refused.errors)")
    }
}

@Test
func `the file of a recording stays what it was until all is recorded`() throws {
    try withTool { (coffer) throws in
        let file = try coffer.write("trace.json", "before")
        func contents() throws -> String {
            String(
                decoding: try Folder(at: "\(coffer.bus.path)/home").read("trace.json", limit: 1 << 20),
                as: UTF8.self)
        }
        let none = try coffer("trace", "--output", file, "--bus", "unix:path=\(coffer.path("no-bus"))")
        #expect(none.code == 69)
        #expect(try coffer("trace", "--output", file, "--", "/none/such").code == 66)
        let nowhere = try coffer("trace", "--output", "/none/trace.json", "--", "true")
        #expect(
            nowhere.errors
                == "coffer: The trace cannot be written to '/none/trace.json': No such file or directory.\n")
        #expect(try contents() == "before")
        #expect(try coffer("trace", "--output", file, "--", "true").code == 0)
        #expect(try contents().hasPrefix("{\"displayTimeUnit\""))
        #expect(try Folder(at: "\(coffer.bus.path)/home").names().allSatisfy { !$0.hasSuffix(".part") })
        let piped = try coffer("trace", "--output", "/dev/stdout", "--", "true")
        #expect(piped.code == 0, "\(piped.errors)")
        #expect(piped.lines.first?.hasPrefix("{\"displayTimeUnit\"") == true)
    }
}
