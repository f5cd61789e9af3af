internal import CofferDBus
internal import CofferLinux
internal import CofferWire

/// Asks the service on a bus for a channel; the bus starts the service if it does not run.
struct BusConnector: ChannelConnector {
    private static let name = "org.coffer.Storage1"
    private static let path = "/org/coffer/Storage1"

    let address: ServiceAddress

    func connect(_ hello: HelloRequestMessage) throws(ConnectionFailure) -> OwnedDescriptor {
        let payload: [UInt8]
        do throws(WireError) { payload = try hello.packed() } catch {
            throw ConnectionFailure(CofferError(error), isTransient: false)
        }
        do throws(DBusError) {
            // One call, and the connection is closed again: the channel needs no bus.
            let bus = try DBusClient(to: address.busAddress)
            let reply = try bus.call(
                Self.name, path: Self.path, interface: Self.name, member: "OpenChannel",
                body: [.bytes(payload)],
                timeoutMilliseconds: Int(Limits.activation.components.seconds) * 1_000)
            guard reply.body.count == 2, let channel = reply.body[1].descriptorValue else {
                throw DBusError.malformed("OpenChannel answers ay h, not \(reply.signature)")
            }
            return channel
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: DBusError) -> ConnectionFailure {
        switch error {
        case .connectFailed(let place, let message):
            ConnectionFailure(
                .unavailable(address.unreachable(at: place, message)),
                isTransient: true)
        case .remote where error.isNameNotOwned:
            ConnectionFailure(
                .unavailable(ServiceAddress.unknownService), isTransient: true)
        case .remote(let name, let message):
            remoteFailure(named: name, message: message)
        case .timeout(let milliseconds):
            ConnectionFailure(
                .unavailable(
                    "The service was started, but opened no channel within \(milliseconds / 1_000) s: see its log."
                ),
                isTransient: true)
        case .disconnected:
            ConnectionFailure(
                .unavailable("The message bus closed the connection. \(address.advice)"), isTransient: true)
        default:
            ConnectionFailure(.unavailable("No channel could be opened: \(error)"), isTransient: true)
        }
    }

    /// The service, or the bus in its place, answered with an error.
    private func remoteFailure(named name: String, message: String) -> ConnectionFailure {
        if let detail = ErrorDetailMessage(busErrorName: name, text: message) {
            return ConnectionFailure(CofferError(detail), isTransient: false)
        }
        if name == DBusErrorName.accessDenied {
            return ConnectionFailure(
                .unavailable("The bus's policy does not let this process call \(Self.name): \(message)"),
                isTransient: false)
        }
        // What the bus says if the service was killed: with the call in its hands, or before it had its
        // name.
        let hasDied =
            name == DBusErrorName.noReply || name == "org.freedesktop.DBus.Error.Spawn.ChildSignaled"
        return ConnectionFailure(
            .unavailable(address.unstarted(name, message)),
            isTransient: true, wasServed: hasDied)
    }
}
