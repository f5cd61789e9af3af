import Coffer
import CofferLinux
import CofferModel
import CofferWire
import TestSupport
import Testing

/// Whether a folder can be mounted once more, for one process alone.
private let canMount: Bool = {
    guard
        let child = try? ChildProcess("/usr/bin/unshare", arguments: ["-m", "true"], errors: .discarded)
    else {
        return false
    }
    return (try? child.waitForExit(timeout: .seconds(60))) == .code(0)
}()

/// A service whose data folder is on a disk that can only be read.
@Suite(.enabled(if: canMount, "nothing can be mounted here: run as root"))
struct ReadOnlyFolderTests {
    @Test
    func `stores on a read-only disk can be read, and a save is told why it fails`() throws {
        try withService { service in
            let maker = try service.startByHand()
            let writer = try service.channel()
            try writer.insert(["Milk"], into: writer.open())
            try maker.kill(.terminate)
            #expect(try maker.waitForExit(timeout: .seconds(60)) == .code(0))
            let script =
                "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && "
                + "exec \"$0\" --data \"$1\" --idle-timeout 0"
            let process = try service.started {
                try ChildProcess(
                    "/usr/bin/unshare",
                    arguments: ["-m", "sh", "-c", script, service.executable, service.data],
                    environment: service.bus.environment)
            }
            let client = try service.channel()
            let refusal = #expect(throws: Refusal.self) { _ = try client.open() }
            #expect(refusal?.reason == "read_only", "\(refusal as Any)")
            let model: RegisterModelReplyMessage = try client.call(
                .registerModel, RegisterModelRequestMessage(model: try Notes.model()))
            let reply: OpenStoreReplyMessage = try client.call(
                .openStore,
                OpenStoreRequestMessage(
                    name: .init(name: "Notes"), modelID: model.modelID, mustExist: true, isReadOnly: true))
            guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
            let store = try OpenNotes(opened)
            #expect(try client.titles(store) == ["Milk"])
            try withTemporaryFolder { path in
                let connection = try ServiceConnection(
                    application: "org.coffer.Tests", bus: .explicit(service.bus.address))
                let backup = try connection.backUpStore(named: "Notes", toFileAt: "\(path)/Notes.copy")
                #expect(backup.number == 1)
                let copy = try connection.copyStore(named: "Notes", toFileAt: "\(path)/Notes.xml", type: .xml)
                #expect(copy.objectCount == 1)
            }
            try process.kill(.terminate)
            #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
        }
    }
}
