import CofferDBus
import CofferLinux

/// Answers on a bus as the user's systemd does, does nothing, and notes what it was asked.
final class SystemdUnderTest: Sendable {
    private let connection: DBusConnection
    private let asked: ConditionLock<[String]>

    init(on address: String) throws {
        let asked = ConditionLock<[String]>([])
        self.asked = asked
        connection = try DBusConnection(
            to: .explicit(address),
            handlers: DBusHandlers(onMethodCall: { bus, call in
                let words = [call.member ?? ""] + call.body.prefix(1).compactMap(\.stringValue)
                asked.withLock { $0.append(words.joined(separator: " ")) }
                _ = try? bus.send(.reply(to: call, body: []))
            }))
        _ = try connection.ask(.requestName("org.freedesktop.systemd1", flags: .doNotQueue))
    }

    /// The methods, each with its first text.
    var calls: [String] { asked.withLock { $0 } }

    func stop() { connection.close() }
}
