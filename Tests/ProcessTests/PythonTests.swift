import CofferLinux
import CofferService
import TestSupport
import Testing

@Test
func `a program in another language calls every rpc, is told of saves, and speaks frames`() throws {
    try withService { service in
        try withTemporaryFolder { folder in
            let program = try PythonProgram(messagesIn: folder).start("every_rpc", on: service.bus)
            let lines = try #require(program.outputLines())
            #expect(try lines.next(timeout: .seconds(90)) == "every rpc was answered")
            #expect(try program.waitForExit(timeout: .seconds(60)) == .code(0))
        }
    }
}
