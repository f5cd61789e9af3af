import CofferDBus
import CofferLinux
import FoundationEssentials
import TestSupport

/// A process through which clients of a test reach the bus, as those of a sandbox do: to the service it is
/// the one that calls.
final class OtherProcess: Sendable {
    /// Where its clients find the bus.
    let address: String
    private let process: ChildProcess
    /// What the bus says of its clients.
    var id: Int32 { process.id }

    fileprivate init(on bus: PrivateBus) throws {
        let tests = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
        let socket = "\(bus.path)/\(UUID().uuidString)"
        address = "unix:path=\(socket)"
        process = try ChildProcess(
            "/usr/bin/python3", arguments: ["\(tests)/Python/proxy.py", bus.address, socket],
            environment: bus.environment, output: .pipe)
        guard try process.outputLines()?.next(timeout: .seconds(60)) == "ready" else {
            throw ServiceUnderTest.Missing()
        }
    }

    /// A connection to the bus.
    func connection() throws -> DBusClient { try DBusClient(to: .explicit(address)) }

    /// A client over a channel.
    func channel(_ application: String = "org.coffer.Tests") throws -> RawClient {
        try RawClient(bus: connection(), application: application)
    }
}

extension ServiceUnderTest {
    /// Another process, which ends with the bus or when no reference to it is left.
    func otherProcess() throws -> OtherProcess { try OtherProcess(on: bus) }
}
