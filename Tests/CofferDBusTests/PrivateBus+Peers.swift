import CofferDBus
import CofferLinux
import TestSupport

extension PrivateBus {
    func connect(_ handlers: DBusHandlers = DBusHandlers()) throws -> DBusConnection {
        try DBusConnection(to: .explicit(address), handlers: handlers)
    }

    func client() throws -> DBusClient { try DBusClient(to: .explicit(address)) }

    /// A connection that answers `Echo` with what it was passed.
    func echo() throws -> DBusConnection {
        try connect(
            DBusHandlers(onMethodCall: { bus, call in
                guard call.member == "Echo" else { return bus.refuse(call) }
                do throws(DBusError) {
                    try bus.send(.reply(to: call, body: call.body))
                } catch {
                    bus.refuse(call, name: DBusErrorName.failed, message: "\(error)")
                }
            }))
    }
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
