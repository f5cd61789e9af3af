package import CofferWire

/// The channels that the leader of a store's commits polls, and for how long.
///
/// Confined to the lock of its owner, which reads the channels.
package struct PolledList<Element: Sendable>: Sendable {
    /// An element of the list.
    package struct Entry: Sendable {
        /// The channel, or what stands for it in a test.
        package let element: Element
        /// How often nothing had come since it was kept, or since its last save.
        private var emptyPolls = 0

        /// Kept from now on, or again after a save.
        package init(_ element: Element) { self.element = element }

        /// The entry after one more poll at which nothing had come; `nil` if there were too many of these
        /// to keep it.
        package var polledInVain: Entry? {
            if emptyPolls >= Limits.emptyPolls { return nil }
            var entry = self
            entry.emptyPolls += 1
            return entry
        }
    }

    /// What a deadline is to do.
    package enum Deadline {
        /// The list was looked at after `looks`: to come again later.
        case watchOn(since: UInt64)
        /// To give these back, since they are not looked at, and to stop watching.
        case giveBack([Entry])
    }

    private var entries: [Entry] = []
    /// How often the list was taken, mostly by the leader, which polls its elements.
    private var looks: UInt64 = 0
    /// Whether a deadline looks after those in the list.
    private var isWatched = false

    /// An empty list.
    package init() {}

    /// Adds an element, polled from now on.
    package mutating func keep(_ element: Element) { entries.append(Entry(element)) }

    /// Puts back elements that were taken.
    package mutating func keep(_ taken: [Entry]) { entries += taken }

    /// Takes all elements; the caller owns them until they are kept again.
    package mutating func take() -> [Entry] {
        looks &+= 1
        defer { entries = [] }
        return entries
    }

    /// Takes the first out that `isIt`; `false` if another thread has taken it.
    package mutating func takeBack(where isIt: (Element) -> Bool) -> Bool {
        guard let place = entries.firstIndex(where: { isIt($0.element) }) else { return false }
        entries.remove(at: place)
        return true
    }

    /// Begins a watch over those in the list, and gives the looks so far; `nil` if no watch is needed, or
    /// one runs.
    package mutating func beginWatch() -> UInt64? {
        if isWatched || entries.isEmpty { return nil }
        isWatched = true
        return looks
    }

    /// What is to be done when a deadline has passed since so many looks.
    package mutating func deadlinePassed(since looks: UInt64) -> Deadline {
        if !entries.isEmpty, self.looks != looks { return .watchOn(since: self.looks) }
        isWatched = false
        return .giveBack(take())
    }
}

extension FrameHeader {
    /// Whether the leader of commits may read such a frame itself: a save, and a small one.
    package var isReadByLeader: Bool {
        kind == .call && method == .save && payloadByteCount <= Limits.polledRequest
    }
}
