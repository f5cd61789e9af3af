import CofferDBus
import CofferLinux
import CofferService
import CofferWire

/// The call of a method with a message.
func rpc(_ method: String, _ message: some WireMessage) throws -> DBusMessage {
    .methodCall(
        to: BusNames.name, path: BusNames.path, interface: BusNames.name, member: method,
        body: [.bytes(try message.packed()), .array("h", [])])
}

/// What became of calls, by the name of the error.
final class Outcomes: Sendable {
    private let state = ConditionLock<[String: Int]>([:])

    var names: [String: Int] { state.withLock { $0 } }

    func add(_ result: Result<DBusMessage, CofferDBus.DBusError>) {
        let name: String =
            switch result {
            case .success: "ok"
            case .failure(.remote(let name, let text)):
                // Without its reason.
                ErrorDetailMessage(busErrorName: name, text: text).map {
                    "\(BusNames.name).Error.\($0.code.name)"
                } ?? name
            case .failure(let error): "\(error)"
            }
        state.withLock { $0[name, default: 0] += 1 }
        state.broadcast()
    }

    func wait(for count: Int) {
        state.wait { $0.values.reduce(0, +) >= count ? () : nil }
    }
}
