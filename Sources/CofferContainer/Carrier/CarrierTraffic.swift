internal import Synchronization

/// How many bytes went into a container and came out of it.
///
/// Shared.
package final class CarrierTraffic: Sendable {
    private let sentCount = Atomic<UInt64>(0)
    private let receivedCount = Atomic<UInt64>(0)

    package init() {}

    /// Bytes that went into it.
    package var sent: UInt64 { sentCount.load(ordering: .relaxed) }

    /// Bytes that came out of it.
    package var received: UInt64 { receivedCount.load(ordering: .relaxed) }

    func noteSent(_ byteCount: Int) { sentCount.wrappingAdd(UInt64(byteCount), ordering: .relaxed) }

    func noteReceived(_ byteCount: Int) {
        receivedCount.wrappingAdd(UInt64(byteCount), ordering: .relaxed)
    }
}
