import CofferLinux
import CofferModel
import CofferStores
package import CofferWire
import Synchronization

/// The rows of one store that its clients hold, so that a fault for a row that another client has read does
/// not ask the file.
///
/// Shared by all users of the store. A row stays while a holder holds it, unless memory is short; what was
/// fetched is indexed by id once a row is looked for by its id. What a commit has changed is noted after it
/// is durable and before any listener is told. It is taken in before the next look into the cache, or the
/// changed rows are forgotten if there is none. Rows that others wrote into the file are forgotten all at
/// once.
package final class RowCache: Sendable {
    /// When a read began.
    package struct Ticket: Sendable {
        fileprivate let generation: UInt64
    }

    let shapes: [RowShape?]
    /// Whether of some entity less than whole rows is kept.
    private let keepsParts: Bool
    private let trees: [Int]
    let state: Mutex<RowCacheState>
    private let hits = Atomic<Int>(0)
    private let misses = Atomic<Int>(0)
    private let shrinks = Atomic<Int>(0)

    /// An empty cache of a store whose last transaction is `number`; one that is not `isEnabled` stays empty.
    init(schema: SQLSchema, number: UInt64, isEnabled: Bool = true, byteLimit: Int = Limits.cachedBytes) {
        shapes = schema.entities.map { entity in
            isEnabled ? entity.map { RowShape($0, in: schema.model) } : nil
        }
        keepsParts = shapes.contains { !($0?.omitted.isEmpty ?? true) }
        trees = schema.model.entities.map(\.rootIndex)
        state = Mutex(RowCacheState(shapes: shapes, number: number, byteLimit: byteLimit))
    }
}

extension RowCache {
    /// Rows that were asked for by id and were here.
    package var hitCount: Int { hits.load(ordering: .relaxed) }
    /// Rows that were asked for by id and had to be read.
    package var missCount: Int { misses.load(ordering: .relaxed) }
    /// How often it gave memory back because it was short.
    package var shrinkCount: Int { shrinks.load(ordering: .relaxed) }
    /// How many rows there are, and about the bytes that they take.
    package var size: (rows: Int, bytes: Int) { state.withLock { $0.size } }

    /// What a read that begins now shows later.
    package func ticket() -> Ticket { Ticket(generation: state.withLock { $0.generation }) }

    /// What a look for rows came to.
    package enum Answer {
        /// All of them are here.
        case found(RowsReplyMessage)
        /// So many are not; 0 if there is no such entity, or nothing is kept.
        case lacks(Int)
    }

    /// Rows by id, if all of them are here and none is older than may be.
    package func rows(_ request: RowsRequestMessage) -> Answer {
        guard shapes.indices.contains(request.entity), let tree = shapes[request.entity]?.tree else {
            return .lacks(0)
        }
        let keys =
            request.primaryKeys.isStrictlyAscending
            ? request.primaryKeys : Set(request.primaryKeys).sorted()
        let (found, number) = state.withLock { ($0.rows(keys, tree: tree), $0.number) }
        guard !keys.isEmpty, found.count == keys.count else {
            misses.add(keys.count - found.count, ordering: .relaxed)
            return .lacks(keys.count - found.count)
        }
        if keepsParts, !request.withoutExternalValues {
            let parts = found.count { !$0.block.shape.omitted.isEmpty }
            misses.add(parts, ordering: .relaxed)
            if parts > 0 { return .lacks(parts) }
        }
        if let age = request.maximumAge, Self.isStale(found, age: age) { return .lacks(0) }
        do throws(WireError) {
            let batches = try Self.batches(of: found)
            hits.add(keys.count, ordering: .relaxed)
            return .found(RowsReplyMessage(number: number, batches: batches))
        } catch {
            return .lacks(0)  // Whoever reads them finds out that they are too much at once, and says so.
        }
    }

    private static func isStale(_ rows: [RowLocation], age milliseconds: UInt64) -> Bool {
        let (age, isForEver) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        if isForEver { return false }
        // What was read this moment is not of now.
        let now = Monotonic.now
        return rows.contains { now - min(now, $0.block.since) >= age }
    }

    /// One batch for each entity.
    static func batches(of rows: [RowLocation]) throws(WireError) -> [PackedRows] {
        guard let shape = rows.first?.block.shape else { return [] }
        if rows.allSatisfy({ $0.block.shape.entity == shape.entity }) { return [try shape.rows(of: rows)] }
        let groups = Dictionary(grouping: rows, by: \.block.shape.entity).sorted { $0.key < $1.key }
        var batches: [PackedRows] = []
        for (_, rows) in groups { batches.append(try rows[0].block.shape.rows(of: rows)) }
        return batches
    }

    /// Forgets all rows, which another program may have changed, and those of reads under way; gives what
    /// it had.
    package func invalidate() -> [PackedRows] {
        let groups = state.withLock { $0.invalidate() }
        var known: [PackedRows] = []
        for rows in groups {
            // What there is no memory for is not known.
            do throws(WireError) { known += try Self.batches(of: rows) } catch {}
        }
        return known
    }

    /// The store's last transaction is `number`, though no client saved.
    package func advance(to number: UInt64) {
        state.withLock { $0.number = max($0.number, number) }
    }

    /// Gives back the memory of what was not asked for of late: half of all.
    package func shrink() {
        shrinks.add(1, ordering: .relaxed)
        state.withLock { $0.shrink() }
    }

    /// Notes what the saves of a commit have changed, which is durable; those that failed change nothing.
    func apply(_ batch: CommittedBatch) {
        state.withLock { state in
            for member in batch.members {
                guard case .success(let execution) = member.result, let transaction = execution.transaction
                else {
                    continue
                }
                state.apply(transaction)
            }
        }
    }

    /// Forgets the rows of what was noted, once that is much; called while no client waits for it.
    func forgetIfFull() {
        state.withLock { if $0.isFull { $0.evictWaiting() } }
    }

    /// Notes a holder of rows.
    package func makeHolder() -> RowHolder {
        RowHolder(id: state.withLock { $0.addHolder() }, cache: self)
    }

    /// A block of what an answer brings; `nil` if something that is kept is missing, or of too many rows.
    func block(_ rows: PackedRows) -> RowBlock? {
        guard let shape = shape(of: rows.entity), shape.isWithin(rows) else { return nil }
        var kept = rows
        if rows.columnCount > shape.columns.count {
            // Without the values that are not kept.
            var gathered = GatheredRows(capacity: rows.rowCount)
            for row in 0..<rows.rowCount { gathered.append(rows, row) }
            do throws(WireError) {
                kept = try gathered.packed(entity: shape.entity, columns: shape.columns)
            } catch {
                return nil
            }
        }
        let block = RowBlock(shape: shape, rows: kept)
        return block.byteCount <= Limits.cachedBatchBytes ? block : nil
    }

    /// What is kept of a row of an entity; `nil` for an index of no entity, and if nothing is kept.
    func shape(of entity: Int) -> RowShape? {
        shapes.indices.contains(entity) ? shapes[entity] : nil
    }

    /// The inheritance tree of an entity; 0 for an index of no entity.
    func tree(of entity: Int) -> Int {
        trees.indices.contains(entity) ? trees[entity] : 0
    }

    /// Whether a ticket is of now.
    static func isValid(_ ticket: Ticket, in state: borrowing RowCacheState) -> Bool {
        ticket.generation == state.generation
    }
}

extension [Int64] {
    /// Whether each is greater than the one before.
    fileprivate var isStrictlyAscending: Bool {
        for index in indices.dropFirst() where self[index] <= self[index - 1] { return false }
        return true
    }
}
