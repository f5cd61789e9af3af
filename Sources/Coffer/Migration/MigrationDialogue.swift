internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// What a thread is told that has the service migrate a store by policies of its own.
///
/// Shared. The channel's reader hands in what the service asks, and another thread what becomes of the call;
/// the thread with the policies takes both out, in order.
final class MigrationDialogue: Sendable {
    /// What happens.
    enum Event: Sendable {
        /// The service asks for objects.
        case asked(MigrationQuestion)
        /// It is at a step.
        case step(MigrationProgress)
        /// It is over.
        case ended(Result<ServiceConnection.Migration, CofferError>)
    }

    /// What the service calls it by.
    let id = UUID()
    private let events = ConditionLock<[Event]>([])

    /// Hands in what has happened.
    func put(_ event: Event) {
        events.withLock { $0.append(event) }
        events.signal()
    }

    /// Takes out what has happened first; waits for it.
    func next() -> Event { events.wait { $0.isEmpty ? nil : $0.removeFirst() } }

    /// Lets `next` give an event again.
    func putBack(_ event: Event) { events.withLock { $0.insert(event, at: 0) } }
}

/// A call of the service that asks for the next objects of a migration.
struct MigrationQuestion: Sendable {
    /// What it asks.
    let request: MigrateObjectsRequestMessage
    private let header: FrameHeader
    private let link: ChannelLink

    init(_ request: MigrateObjectsRequestMessage, _ header: FrameHeader, on link: ChannelLink) {
        (self.request, self.header, self.link) = (request, header, link)
    }

    /// Says that some objects are done, or all.
    func answer(isDone: Bool) {
        // A message of one field always packs. If the service does not get it, it ends the migration.
        if let payload = try? MigrateObjectsReplyMessage(isDone: isDone).packed() {
            link.answer(header, with: payload)
        }
    }

    /// Says why there will be no more.
    func refuse(_ error: CofferError) {
        let detail = error.migrationDetail
        link.answer(header, with: detail.packed(), status: detail.code)
    }
}
