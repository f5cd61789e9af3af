import CofferDBus
import CofferLinux
import Foundation

/// A dbus-daemon of one test, in a temporary folder; both go with this object.
final class PrivateBus {
    let address: String
    let folder: URL
    private let daemon: ChildProcess

    /// Starts a bus that knows `services`, texts of service files by their names.
    init(services: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "coffer-dbus-\(UUID().uuidString)")
        let serviceFolder = folder.appending(path: "services")
        try FileManager.default.createDirectory(at: serviceFolder, withIntermediateDirectories: true)
        for (name, text) in services {
            try text.write(to: serviceFolder.appending(path: name), atomically: false, encoding: .utf8)
        }
        let file = folder.appending(path: "bus.conf")
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(folder.path)/bus</listen>
              <auth>EXTERNAL</auth>
              <servicedir>\(serviceFolder.path)</servicedir>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
              <limit name="max_incoming_bytes">1000000000</limit>
              <limit name="max_outgoing_bytes">1000000000</limit>
              <limit name="max_message_size">1000000000</limit>
            </busconfig>
            """
        try configuration.write(to: file, atomically: false, encoding: .utf8)
        daemon = try ChildProcess(
            "dbus-daemon", arguments: ["--config-file=\(file.path)", "--nofork", "--print-address"],
            output: .pipe, errors: .discarded)
        guard let line = try daemon.outputLines()?.next() else { throw Failure.notStarted }
        address = line
    }

    deinit {
        try? stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func stop() throws {
        try daemon.kill(.kill)
        try daemon.waitForExit()
    }

    func connect(_ handlers: DBusHandlers = DBusHandlers()) throws -> DBusConnection {
        try DBusConnection(to: .explicit(address), handlers: handlers)
    }

    func client() throws -> DBusClient { try DBusClient(to: .explicit(address)) }

    /// A connection that answers `Echo` with what it was passed.
    func echo() throws -> DBusConnection {
        try connect(
            DBusHandlers(onMethodCall: { bus, call in
                guard call.member == "Echo" else { return bus.refuse(call) }
                do {
                    try bus.send(.reply(to: call, body: call.body))
                } catch {
                    bus.refuse(call, name: DBusErrorName.failed, message: "\(error)")
                }
            }))
    }

    enum Failure: Error { case notStarted }
}

extension DBusClient {
    func echo(_ name: String, _ body: [DBusValue]) throws(DBusError) -> [DBusValue] {
        try call(name, path: "/echo", interface: "org.coffer.Test", member: "Echo", body: body).body
    }
}

/// What threads of a test leave for the test's own.
final class Collector<Element: Sendable>: Sendable {
    private let elements = ConditionLock<[Element]>([])

    func add(_ element: Element) {
        elements.withLock { $0.append(element) }
        elements.broadcast()
    }

    /// The first `count` elements, once there are as many.
    func wait(for count: Int) -> [Element] {
        elements.wait { $0.count >= count ? Array($0.prefix(count)) : nil }
    }

    var count: Int { elements.withLock { $0.count } }
}
