import CofferModel

/// A prefetch under way: what to ask the store next, until everything was followed.
///
/// It does not ask the store itself, so that it serves callers that may block and callers that may not.
struct PrefetchRun {
    /// What one round trip reads.
    enum Piece {
        /// Rows of one store's inheritance tree, and what keeps them while their objects are not held.
        case rows([ObjectReference], PrefetchedRows?)
        /// The members of a relationship of objects of one store and inheritance tree, with their rows.
        case members([ManagedObject], slot: Int, PrefetchedRows)

        /// How many objects it is about.
        var count: Int {
            switch self {
            case .rows(let references, _): references.count
            case .members(let owners, _, _): owners.count
            }
        }
    }

    /// How far a step has come.
    private enum Stage {
        /// The values of the objects it starts from are being read.
        case starting
        /// What it leads to is being read.
        case following
    }

    private var waiting: [(step: PrefetchStep, objects: [ManagedObject])]
    private var stage = Stage.starting
    private var pieces: [Piece] = []
    /// What is read of the rows.
    let extent: RowExtent
    private unowned let context: ManagedObjectContext

    /// Follows `steps` from `objects`.
    init(
        _ steps: [PrefetchStep], from objects: [ManagedObject], _ extent: RowExtent,
        in context: ManagedObjectContext
    ) {
        waiting = steps.reversed().map { ($0, objects) }
        self.extent = extent
        self.context = context
        if !waiting.isEmpty { start() }
    }

    /// What to read next; `nil` at the end.
    mutating func next() -> Piece? {
        while pieces.isEmpty {
            guard let (step, objects) = waiting.last else { return nil }
            switch stage {
            case .starting:
                stage = .following
                pieces = step.isToMany ? members(step.slot, of: objects) : ends(step.slot, of: objects)
            case .following:
                waiting.removeLast()
                let reached = step.next.isEmpty ? [] : self.reached(step, from: objects)
                waiting += step.next.reversed().map { ($0, reached) }
                if !waiting.isEmpty { start() }
            }
        }
        return pieces.removeLast()
    }

    /// Reads a piece, which was too large, in two.
    ///
    /// - Returns: `false` if it cannot be smaller.
    mutating func split(_ piece: Piece) -> Bool {
        switch piece {
        case .rows(let references, let rows):
            guard references.count > 1 else { return false }
            let half = references.count / 2
            pieces += [.rows(Array(references[half...]), rows), .rows(Array(references[..<half]), rows)]
        case .members(let owners, let slot, let rows):
            guard owners.count > 1 else { return false }
            let half = owners.count / 2
            pieces += [
                .members(Array(owners[half...]), slot: slot, rows),
                .members(Array(owners[..<half]), slot: slot, rows),
            ]
        }
        return true
    }

    /// Reads more rows before the rest.
    mutating func add(_ references: [ObjectReference], _ rows: PrefetchedRows) {
        pieces += Self.pieces(of: references, rows)
    }

    /// Begins the last of the waiting steps: to-one relationships of faults are not known before those are
    /// read.
    private mutating func start() {
        stage = .starting
        guard let (step, objects) = waiting.last, !step.isToMany else { return }
        pieces = Self.pieces(of: objects.filter(\.isFault).map(\.reference), nil)
    }

    private static func pieces(of references: [ObjectReference], _ rows: PrefetchedRows?) -> [Piece] {
        Dictionary(grouping: references.filter { !$0.isUnsaved }, by: \.table).values.flatMap { references in
            stride(from: 0, to: references.count, by: Limits.prefetchedOwners).map { start in
                .rows(
                    Array(references[start..<min(start + Limits.prefetchedOwners, references.count)]), rows)
            }
        }
    }

    private func members(_ slot: Int, of objects: [ManagedObject]) -> [Piece] {
        let owners = objects.filter { object in
            object.status.isDisjoint(with: [.inserted, .gone]) && object.edits?.toMany[slot]?.members == nil
        }
        let rows = PrefetchedRows(context.registry)
        return Dictionary(grouping: owners, by: \.reference.table).values.flatMap { owners in
            stride(from: 0, to: owners.count, by: Limits.prefetchedOwners).map { start in
                .members(
                    Array(owners[start..<min(start + Limits.prefetchedOwners, owners.count)]), slot: slot,
                    rows)
            }
        }
    }

    private func ends(_ slot: Int, of objects: [ManagedObject]) -> [Piece] {
        let rows = PrefetchedRows(context.registry)
        var seen: Set<ObjectReference> = []
        var batches: [ObjectIdentifier: SnapshotBatch] = [:]
        for object in objects {
            guard let end = object.target(ofSlot: slot), seen.insert(end).inserted else { continue }
            if let batch = object.batch { batches[ObjectIdentifier(batch)] = batch }
        }
        let group = FaultGroup(Array(seen), includesUnmade: true, prefetched: rows)
        for batch in batches.values { batch.setEnds(slot, group) }
        let unread = seen.filter { context.registry.object($0)?.isFault ?? true }
        return Self.pieces(of: unread.sorted { $0.key < $1.key }, rows)
    }

    /// What a step led to.
    private func reached(_ step: PrefetchStep, from objects: [ManagedObject]) -> [ManagedObject] {
        var seen: Set<ObjectReference> = []
        var references: [ObjectReference] = []
        for object in objects {
            let ends =
                step.isToMany
                ? object.edits?.toMany[step.slot]?.members ?? []
                : object.target(ofSlot: step.slot).map { [$0] } ?? []
            references += ends.filter { seen.insert($0).inserted }
        }
        return context.objects(references).filter { !$0.isLost }
    }
}

extension ManagedObject {
    /// What the to-one relationship `slot` leads to, as far as that is known without reading.
    fileprivate func target(ofSlot slot: Int) -> ObjectReference? {
        status.contains(.gone) ? nil : (edits?.changed[slot] ?? knownContent(slot))?.reference
    }
}
