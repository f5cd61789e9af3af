internal import CofferWire

/// Something that came of a store whose opening is not finished: the service calls it by a handle that this
/// process does not know yet.
struct StrayEvent: Sendable {
    enum Content: Sendable {
        case push(PushMessage)
        /// The service asks for what is left to save.
        case question(StoresWillChangeRequestMessage, FrameHeader)

        /// What the service calls the store.
        var handle: UInt32 {
            switch self {
            case .push(let push): push.store
            case .question(let question, _): question.store
            }
        }
    }

    let link: ChannelLink
    let content: Content
}

/// What came of stores while they are being opened, until they are.
///
/// The reply that names a store and what comes after it are taken in by two threads, and the second one may
/// be the faster.
struct StrayEvents: Sendable {
    private var events: [StrayEvent] = []
    /// How many stores are being opened on each link.
    private var openings: [ObjectIdentifier: Int] = [:]

    /// A store is about to be opened.
    mutating func beginOpening(on link: ChannelLink) { openings[ObjectIdentifier(link), default: 0] += 1 }

    /// A store is open, or could not be opened.
    ///
    /// - Returns: What is of no store that is open or to be opened.
    mutating func endOpening(on link: ChannelLink) -> [StrayEvent] {
        let key = ObjectIdentifier(link)
        let count = (openings[key] ?? 1) - 1
        openings[key] = count > 0 ? count : nil
        return count > 0 ? [] : takeAll { $0.link === link }
    }

    /// Keeps an event; `false` if it is of no store that is being opened.
    mutating func keep(_ event: StrayEvent) -> Bool {
        guard openings[ObjectIdentifier(event.link)] != nil else { return false }
        if events.count >= Limits.strayEvents, let push = events.firstIndex(where: { $0.isPush }) {
            events.remove(at: push)
        }
        events.append(event)
        return true
    }

    /// Takes what came of the store that the service calls `handle`.
    mutating func take(_ handle: UInt32, on link: ChannelLink) -> [StrayEvent] {
        takeAll { $0.link === link && $0.content.handle == handle }
    }

    /// Forgets what came over a link that is lost.
    mutating func forget(_ link: ChannelLink) { _ = takeAll { $0.link === link } }

    private mutating func takeAll(_ isTaken: (StrayEvent) -> Bool) -> [StrayEvent] {
        if events.isEmpty { return [] }
        defer { events.removeAll(where: isTaken) }
        return events.filter(isTaken)
    }
}

extension StrayEvent {
    fileprivate var isPush: Bool { if case .push = content { true } else { false } }
}
