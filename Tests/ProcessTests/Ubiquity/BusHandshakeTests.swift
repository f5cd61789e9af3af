import Coffer
import CofferLinux
import Foundation
import TestSupport
import Testing

/// A program in another language that is asked over the bus before content is exchanged.
@Suite struct BusHandshakeTests {
    @Test func `it saves at the last moment, lets go, and finds the other account's content`() throws {
        try withTemporaryFolder { folder in
            let roots = ["one", "two"].map { "\(folder)/\($0)" }
            for root in roots { _ = try Folder.make(at: root) }
            let service = try ServiceUnderTest()
            defer { service.stop() }
            let machine = try AccountMachine(service)
            try machine.signIn(roots[0])
            try machine.save("first")
            let messages = "\(folder)/messages"
            _ = try Folder.make(at: messages)
            let program = try PythonProgram(messagesIn: messages)
                .start("handshake", ["\(folder)/go"], on: service.bus)
            let lines = try #require(program.outputLines())
            func expect(_ line: String) throws {
                #expect(try lines.next(timeout: .seconds(60)) == line)
            }
            try expect("takes part")
            try machine.connection().signIn(as: "two", at: roots[1])
            try expect("asked account-added")
            try expect("saved 2")
            // It is waited for, and what there was is served until then.
            #expect(try machine.status()?.state == "asking")
            #expect(try machine.names() == ["first", "last moment"])
            try Folder(at: folder).replace("go", with: [])
            try expect("answered True")
            try expect("changed account-added False")
            try expect("notes 0")
            #expect(try program.waitForExit(timeout: .seconds(60)) == .code(0))
            try machine.wait(for: "live")
            #expect(try machine.names() == [])
            // A client that has gone is not waited for.
            try machine.signIn(roots[0])
            #expect(try machine.names() == ["first", "last moment"])
        }
    }
}
