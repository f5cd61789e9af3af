import CofferStores

/// Runs several saves in one transaction, each in a savepoint of its own.
///
/// SQLite ends the whole transaction, not the savepoint, on INTERRUPT, FULL, IOERR and NOMEM: then the member that met it fails, and the
/// innocent ones run again without it.
struct GroupCommit {
    private let writer: StoreWriter
    private var saves: [SaveSubmission]
    private let watch: ForeignWatch
    /// Deals with what somebody else wrote into the file.
    private let look: () -> Void
    /// At most so many of the saves that came since, which go along.
    private let late: (Int) -> [SaveSubmission]

    init(
        writer: StoreWriter, saves: [SaveSubmission], watch: ForeignWatch, look: @escaping () -> Void,
        late: @escaping (Int) -> [SaveSubmission] = { _ in [] }
    ) {
        self.writer = writer
        self.saves = saves
        self.watch = watch
        self.look = look
        self.late = late
    }

    /// What became of each save and of those that came late, in order; those that were saved are durable.
    consuming func run() -> [(save: SaveSubmission, result: SaveResult)] {
        let results = results()
        return Array(zip(saves, results))
    }

    private mutating func results() -> [SaveResult] {
        var culprits: [Int: StoreError] = [:]
        while culprits.count < saves.count {
            switch attempt(without: culprits) {
            case .committed(let results): return merge(results, culprits)
            case .lost(let culprit, let error): culprits[culprit] = error
            case .notBegun(let error):
                // It is nobody's fault, and would take as long again for each of them alone.
                for index in saves.indices where culprits[index] == nil { culprits[index] = error }
            case .refused(let error):
                let innocent = saves.indices.filter { culprits[$0] == nil }
                guard innocent.count == 1 else { return alone(culprits) }
                culprits[innocent[0]] = error
            }
        }
        return merge([:], culprits)
    }

    private enum Attempt {
        case committed([Int: SaveResult])
        /// The transaction was ended by one member.
        case lost(culprit: Int, StoreError)
        /// The transaction could not begin.
        case notBegun(StoreError)
        /// The transaction could not commit.
        case refused(StoreError)
    }

    private mutating func attempt(without culprits: [Int: StoreError]) -> Attempt {
        do throws(StoreError) {
            try begin(isAlone: saves.count - culprits.count == 1)
        } catch {
            return .notBegun(error)
        }
        var results: [Int: SaveResult] = [:]
        var next = 0
        while next < saves.count || admitLate() {
            let index = next
            next += 1
            if culprits[index] != nil { continue }
            do throws(StoreError) {
                results[index] = .success(try writer.execute(saves[index].request, by: saves[index].origin))
            } catch {
                if writer.isTransactionLost { return lost(to: index, error) }
                results[index] = .failure(error)
            }
        }
        #if DEBUG
        CrashPoint.beforeCommit.pass()
        #endif
        do throws(StoreError) {
            try writer.commit()
            // What writes no transaction may have written nothing at all; then the leader looks.
            if results.values.contains(where: \.isTransaction) { watch.didCommit() }
            return .committed(results)
        } catch {
            return .refused(error)  // The writer has taken everything back.
        }
    }

    /// Lets saves go along that came while those before them were carried out: they need no flush of their own then.
    private mutating func admitLate() -> Bool {
        let more = saves.count < Limits.batch ? late(Limits.batch - saves.count) : []
        if more.isEmpty { return false }
        writer.admitMore()
        saves += more
        return true
    }

    /// Begins a transaction in which nothing is foreign: with the lock, nobody else can write any more.
    private func begin(isAlone: Bool) throws(StoreError) {
        for _ in 0..<Limits.foreignRounds {
            try writer.begin(isAlone: isAlone)
            if !watch.hasMoved { return }
            try writer.rollback()
            look()
        }
        try writer.begin(isAlone: isAlone)  // Somebody writes all the time; versions still tell who is late.
    }

    private func lost(to culprit: Int, _ error: StoreError) -> Attempt {
        // Nothing is left to take back; this brings the writer's own books in order.
        do throws(StoreError) { try writer.rollback() } catch { return .refused(error) }
        return .lost(culprit: culprit, error)
    }

    /// Gives each save a transaction of its own, since together they cannot be committed.
    private func alone(_ culprits: [Int: StoreError]) -> [SaveResult] {
        saves.enumerated().map { index, save in
            if let error = culprits[index] { return .failure(error) }
            return GroupCommit(writer: writer, saves: [save], watch: watch, look: look).run()[0].result
        }
    }

    private func merge(_ results: [Int: SaveResult], _ culprits: [Int: StoreError]) -> [SaveResult] {
        saves.indices.map { index in
            if let error = culprits[index] { return .failure(error) }
            return results[index] ?? .failure(.interrupted)
        }
    }
}

extension SaveResult {
    /// Whether a transaction was written.
    fileprivate var isTransaction: Bool {
        if case .success(let execution) = self { execution.transaction != nil } else { false }
    }
}
