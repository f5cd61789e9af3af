package import CofferWire

/// Who is kept by the leader of a store's commits, and until when.
///
/// Confined to the lock of its owner, which reads the channels.
package struct PolledList<Element: Sendable>: Sendable {
    /// One who is kept.
    package struct Entry: Sendable {
        /// Who it is.
        package let element: Element
        /// How often nothing had come since it was kept, or since its last save.
        private var emptyPolls = 0

        /// Kept from now on, or anew after a save.
        package init(_ element: Element) { self.element = element }

        /// The same when nothing had come once more; `nil` where that was too often to keep it.
        package var polledInVain: Entry? {
            if emptyPolls >= Limits.emptyPolls { return nil }
            var entry = self
            entry.emptyPolls += 1
            return entry
        }
    }

    /// What a deadline is to do.
    package enum Deadline {
        /// Somebody looked after `looks`: to come again later.
        case watchOn(since: UInt64)
        /// To give these back, since nobody looks at them, and to come no more.
        case giveBack([Entry])
    }

    private var entries: [Entry] = []
    /// How often somebody took them, mostly the leader, who looks at them.
    private var looks: UInt64 = 0
    /// Whether a deadline looks after those in the list.
    private var isWatched = false

    /// Nobody.
    package init() {}

    /// Keeps one from now on.
    package mutating func keep(_ element: Element) { entries.append(Entry(element)) }

    /// Keeps those on who were taken.
    package mutating func keep(_ taken: [Entry]) { entries += taken }

    /// Takes all; who takes one owns it until it is kept again.
    package mutating func take() -> [Entry] {
        looks &+= 1
        defer { entries = [] }
        return entries
    }

    /// Takes the first out that `isIt`; `false` where somebody else has taken it.
    package mutating func takeBack(where isIt: (Element) -> Bool) -> Bool {
        guard let place = entries.firstIndex(where: { isIt($0.element) }) else { return false }
        entries.remove(at: place)
        return true
    }

    /// Begins a watch over those in the list: the looks so far; `nil` where none is needed, or one runs.
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
