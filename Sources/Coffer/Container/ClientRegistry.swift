internal import CofferLinux
internal import Synchronization

/// The connections of this process: containers of one application on one bus share one.
enum ClientRegistry {
    private struct Key: Hashable {
        let address: ServiceAddress
        let application: String
    }

    private static let clients = Mutex<[Key: Weak<ChannelClient>]>([:])

    /// The connection of `application` to the service on a bus; it connects when it is first used.
    static func client(address: ServiceAddress, application: String?) throws(CofferError) -> ChannelClient {
        let application = application ?? standardApplication
        return try clients.withLock { clients throws(CofferError) in
            let key = Key(address: address, application: application)
            if let client = clients[key]?.object { return client }
            let client = try ChannelClient(
                identity: .init(application: application), connector: BusConnector(address: address))
            clients = clients.filter { $0.value.object != nil }
            clients[key] = Weak(client)
            return client
        }
    }

    /// What a program that names no application is called: `org.example.` and its name.
    static var standardApplication: String {
        let name = ProcessName.own.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" }
        return "org.example." + (name.first?.isNumber == true ? "_" : "") + String(name)
    }
}
