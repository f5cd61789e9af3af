/// Rows that were read before they were asked for.
///
/// Those that came along with others stay until their object is made; those of a prefetch stay as long as
/// what it was made for. A change from elsewhere and a save of the context make it forget them. What is
/// taken out is given back, since rows may keep other prefetches, whose end changes this again.
struct ReadAhead {
    struct Row {
        let batch: SnapshotBatch
        let row: Int
        /// The members of its to-many relationships, as far as that was prefetched too.
        var members: [Int: ToManyContent] = [:]
    }

    private var along: [ObjectReference: Row] = [:]
    private var prefetched: [ObjectReference: (row: Row, prefetch: ObjectIdentifier)] = [:]

    /// Whether a prefetch keeps the row, so that the store must go on to count it as held.
    @inline(__always)
    func isPrefetched(_ reference: ObjectReference) -> Bool {
        !prefetched.isEmpty && prefetched[reference] != nil
    }

    /// Whether no row is here.
    var isEmpty: Bool { along.isEmpty && prefetched.isEmpty }

    /// Whether the row is here.
    func contains(_ reference: ObjectReference) -> Bool {
        along[reference] != nil || isPrefetched(reference)
    }

    /// Keeps a row that came along; the rows that were dropped for want of room are returned.
    mutating func keep(
        _ reference: ObjectReference, _ batch: SnapshotBatch, row: Int
    ) -> [ObjectReference: Row] {
        guard !isPrefetched(reference) else { return [:] }
        var dropped: [ObjectReference: Row] = [:]
        if along.count >= Limits.readAhead { swap(&along, &dropped) }
        along[reference] = Row(batch: batch, row: row)
        return dropped
    }

    /// Keeps a row for as long as `prefetch` is there; gives the row that was there before.
    mutating func keep(
        _ reference: ObjectReference, _ batch: SnapshotBatch, row: Int, for prefetch: PrefetchedRows
    ) -> Row? {
        let old = along.removeValue(forKey: reference)
        let kept = (Row(batch: batch, row: row), ObjectIdentifier(prefetch))
        return prefetched.updateValue(kept, forKey: reference)?.row ?? old
    }

    /// Keeps, with a prefetched row, the members of a to-many relationship of its object; returns what was
    /// there before.
    mutating func note(
        _ members: ToManyContent, _ slot: Int, of reference: ObjectReference
    ) -> ToManyContent? {
        guard isPrefetched(reference) else { return nil }
        return prefetched[reference]?.row.members.updateValue(members, forKey: slot)
    }

    /// The row of an object that is being made.
    mutating func use(_ reference: ObjectReference) -> Row? {
        if let kept = prefetched.isEmpty ? nil : prefetched[reference] { return kept.row }
        return along.isEmpty ? nil : along.removeValue(forKey: reference)
    }

    /// Forgets a row; `nil` if it was not here.
    mutating func forget(_ reference: ObjectReference) -> Row? {
        if !along.isEmpty, let row = along.removeValue(forKey: reference) { return row }
        return prefetched.isEmpty ? nil : prefetched.removeValue(forKey: reference)?.row
    }

    /// Forgets the rows of a prefetch that no later one keeps.
    mutating func forget(
        _ references: [ObjectReference], of prefetch: ObjectIdentifier
    ) -> [ObjectReference: Row] {
        var rows: [ObjectReference: Row] = [:]
        for reference in references where prefetched[reference]?.prefetch == prefetch {
            rows[reference] = prefetched.removeValue(forKey: reference)?.row
        }
        return rows
    }

    /// All rows, to be released when they are forgotten.
    var references: [ObjectReference] { Array(along.keys) + Array(prefetched.keys) }
}

/// What one step of a prefetch read: its rows stay as long as this does, and so do what it was read for.
final class PrefetchedRows {
    /// Weak, since the registry has rows, which have the prefetches of what they lead to.
    private weak var registry: Registry?
    private var references: [ObjectReference] = []

    init(_ registry: Registry) {
        self.registry = registry
    }

    deinit { registry?.forget(references, of: ObjectIdentifier(self)) }

    /// Keeps a row.
    func keep(_ reference: ObjectReference, _ batch: SnapshotBatch, row: Int) {
        guard let registry else { return }
        references.append(reference)
        _ = registry.readAhead.keep(reference, batch, row: row, for: self)
    }
}

extension Registry {
    /// Keeps a row that came along with others.
    func keepAhead(_ reference: ObjectReference, _ batch: SnapshotBatch, row: Int) {
        let dropped = readAhead.keep(reference, batch, row: row)
        if !dropped.isEmpty { release(Array(dropped.keys)) }
    }

    /// Forgets a row that was read ahead, since it is no longer what the store has.
    func forgetReadAhead(_ reference: ObjectReference) {
        let row = readAhead.forget(reference)
        if row != nil { releaseUnlessHeld([reference]) }
    }

    /// Forgets all rows that were read ahead.
    func forgetReadAhead() {
        if readAhead.isEmpty { return }
        let old = readAhead
        readAhead = ReadAhead()
        releaseUnlessHeld(old.references)
    }

    fileprivate func forget(_ references: [ObjectReference], of prefetch: ObjectIdentifier) {
        let rows = readAhead.forget(references, of: prefetch)
        releaseUnlessHeld(rows.keys)
    }

    /// Releases rows with the next call, but those of objects that hold them themselves.
    private func releaseUnlessHeld(_ references: some Sequence<ObjectReference>) {
        release(references.filter { !(object($0)?.status.contains(.held) ?? false) })
    }
}
