import CofferDBus
import FoundationEssentials
import Synchronization

/// A session as an object on the bus.
struct ClientObject: Sendable {
    let served: ServedSession
    let core: ServiceCore
}

/// `org.coffer.Storage1.Client`: one client.
enum ClientInterface {
    static let table = BusInterface<ClientObject>(
        name: BusNames.clientInterface, documentation: "A client of the service.",
        methods: [
            .init("Disconnect", "Hangs up; the client connects again when it needs the service.") {
                client, _, _ in
                client.core.end(client.served.session)
                return []
            }
        ],
        properties: [
            .init("ProcessID", "u", changes: .const, documentation: "The process.") {
                .uint32(UInt32(clamping: $0.caller.processID))
            },
            .init("UserID", "u", changes: .const, documentation: "The user.") { .uint32($0.caller.userID) },
            .init("ProcessName", "s", changes: .const, documentation: "What the process calls itself.") {
                .string($0.caller.processName)
            },
            .init("Application", "s", changes: .const, documentation: "The application.") {
                .string($0.caller.application)
            },
            .init(
                "Sandboxed", "b", changes: .const,
                documentation: "Whether the application is that of a sandbox."
            ) {
                .boolean($0.caller.isSandboxed)
            },
            .init("UUID", "s", changes: .const, documentation: "What the process made when it started.") {
                .string($0.caller.client.uuidString)
            },
            .init("BusName", "s", changes: .const, documentation: "Its name on the bus.") {
                .string($0.caller.busName)
            },
            .init(
                "Plane", "s", changes: .const, documentation: "How it calls: over a channel or over the bus."
            ) {
                .string($0.served.channel == nil ? "bus" : "channel")
            },
            .init(
                "Since", "t", changes: .const,
                documentation: "When the session began, in microseconds since 1970-01-01 UTC."
            ) {
                .uint64(UInt64(($0.served.session.began + 978_307_200) * 1e6))
            },
            .init("Stores", "ao", changes: .none, documentation: "The stores it has open.") { client in
                .array("o", client.served.session.subscriptions.map { .objectPath($0.store.key.objectPath) })
            },
            .init(
                "Contexts", "u", changes: .none, documentation: "How many contexts it has, as it says itself."
            ) {
                .uint32(UInt32(clamping: $0.served.session.contextCount))
            },
            .init("Calls", "t", changes: .none, documentation: "How many calls it made.") {
                .uint64(UInt64($0.served.session.callCount))
            },
            counter("RoundTrips", documentation: "How many calls about a store it made and waited for.") {
                $0.roundTrips.load(ordering: .relaxed)
            },
            counter("Fetches", documentation: "How many fetch requests it made.") {
                $0.fetches.load(ordering: .relaxed)
            },
            counter("Faults", documentation: "How many rows and relationships it read by id.") {
                $0.faults.load(ordering: .relaxed)
            },
            counter("CacheHits", documentation: "How many of those rows were given without reading the file.")
            {
                $0.cacheHits.load(ordering: .relaxed)
            },
            counter("CacheMisses", documentation: "How many of those rows had to be read.") {
                $0.cacheMisses.load(ordering: .relaxed)
            },
            counter("Saves", documentation: "How many of its saves were committed.") {
                $0.saves.load(ordering: .relaxed)
            },
            counter("Refusals", documentation: "How many of its saves failed or met a conflict.") {
                $0.refusals.load(ordering: .relaxed)
            },
            .init(
                "PendingCalls", "u", changes: .none, documentation: "How many calls wait for their answers."
            ) {
                .uint32(UInt32(clamping: $0.served.session.pendingCallCount))
            },
            .init(
                "QueueDepth", "t", changes: .none,
                documentation: "Bytes that wait for the client to read them."
            ) {
                .uint64(UInt64($0.served.channel?.outbound.byteCount ?? 0))
            },
        ])

    private static func counter(
        _ name: String, documentation: String, _ value: @escaping @Sendable (SessionStatistics) -> Int
    ) -> BusInterface<ClientObject>.Property {
        .init(name, "t", changes: .none, documentation: documentation) {
            .uint64(UInt64(clamping: value($0.served.session.statistics)))
        }
    }
}

extension ClientObject {
    var caller: Caller { served.session.caller }
}
