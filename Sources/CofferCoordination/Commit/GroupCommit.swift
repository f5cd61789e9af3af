import CofferStores

/// Runs several saves in one transaction, each whole or not at all.
///
/// SQLite ends the whole transaction on INTERRUPT, FULL, IOERR and NOMEM: then the member that met it
/// fails, and the innocent ones run again without it. If a member is refused that has written something
/// already, all run again, then each in a savepoint of its own.
struct GroupCommit {
    private let writer: StoreWriter
    private var saves: [SaveSubmission]
    /// Why members failed that are not tried again, by their places.
    private var culprits: [Int: StoreError] = [:]
    private var outcomes: [CommittedSave] = []
    private let watch: ForeignWatch
    /// Deals with what another program wrote into the file.
    private let checkForeignChanges: () -> StoreError?
    /// At most so many of the saves that came since, which go along.
    private let late: (Int) -> [SaveSubmission]

    init(
        writer: StoreWriter, saves: [SaveSubmission], watch: ForeignWatch,
        checkForeignChanges: @escaping () -> StoreError?,
        late: @escaping (Int) -> [SaveSubmission] = { _ in [] }
    ) {
        self.writer = writer
        self.saves = saves
        self.watch = watch
        self.checkForeignChanges = checkForeignChanges
        self.late = late
    }

    /// Tells what became of each save and of those that came late, in order; those that were saved are
    /// durable.
    ///
    /// Those of one commit are told before the next begins, which may find what others wrote in between.
    consuming func run(_ tell: ([CommittedSave]) -> Void) {
        while !isSettled {
            switch attempt() {
            case .committed: return tell(outcomes)
            case .lost(let culprit, let error): culprits[culprit] = error
            case .spoiled: continue
            case .notBegun(let error):
                // No save is at fault, and it would take as long again for each of them alone.
                for index in saves.indices where culprits[index] == nil { culprits[index] = error }
            case .refused(let error):
                let innocent = saves.indices.filter { culprits[$0] == nil }
                guard innocent.count == 1 else { return alone(tell) }
                culprits[innocent[0]] = error
            }
        }
        tell(
            saves.indices.map { index in
                CommittedSave(save: saves[index], result: .failure(culprits[index] ?? .interrupted))
            })
    }

    /// Whether all have failed.
    private var isSettled: Bool { culprits.count == saves.count }

    private enum Attempt {
        case committed
        /// The transaction was ended by one member.
        case lost(culprit: Int, StoreError)
        /// One member cannot be taken back alone; with the next attempt it can.
        case spoiled
        /// The transaction could not begin.
        case notBegun(StoreError)
        /// The transaction could not commit.
        case refused(StoreError)
    }

    /// Carries out the saves that have not been found at fault, and notes what became of all in `outcomes`.
    private mutating func attempt() -> Attempt {
        do throws(StoreError) {
            try begin()
        } catch {
            return .notBegun(error)
        }
        outcomes.removeAll(keepingCapacity: true)
        var isTransaction = false
        while outcomes.count < saves.count || admitLate() {
            let save = saves[outcomes.count]
            let result: SaveResult
            if !culprits.isEmpty, let error = culprits[outcomes.count] {
                result = .failure(error)
            } else {
                do throws(StoreError) {
                    let execution = try save.execute(on: writer)
                    if execution.writesTransaction { isTransaction = true }
                    result = .success(execution)
                } catch {
                    if writer.isTransactionLost { return lost(to: outcomes.count, error) }
                    result = .failure(error)
                }
                if writer.mustStartAnew { return spoiled() }
            }
            outcomes.append(CommittedSave(save: save, result: result))
        }
        #if DEBUG
        CrashPoint.beforeCommit.pass()
        #endif
        do throws(StoreError) {
            try writer.commit()
            // What writes no transaction may have written nothing at all; then the leader looks.
            if isTransaction { watch.didCommit() }
            return .committed
        } catch {
            return .refused(error)  // The writer has taken everything back.
        }
    }

    /// Lets saves go along that came while those before them were carried out: they need no flush of their
    /// own then.
    private mutating func admitLate() -> Bool {
        let more = saves.count < Limits.batch ? late(Limits.batch - saves.count) : []
        if more.isEmpty { return false }
        saves += more
        return true
    }

    /// Begins a transaction in which nothing is foreign: with the lock, no other program can write any
    /// more.
    private func begin() throws(StoreError) {
        for _ in 0..<Limits.foreignRounds {
            try writer.begin(mayStartAnew: true)
            if !watch.hasMoved { return }
            try writer.rollback()
            // A save may not pass over what another program wrote without our knowing it.
            if let error = checkForeignChanges() { throw error }
        }
        // Another program writes all the time; versions still tell which save is late.
        try writer.begin(mayStartAnew: true)
    }

    private func lost(to culprit: Int, _ error: StoreError) -> Attempt {
        // Nothing is left to take back; this brings the writer's own books in order.
        do throws(StoreError) { try writer.rollback() } catch { return .refused(error) }
        return .lost(culprit: culprit, error)
    }

    private func spoiled() -> Attempt {
        do throws(StoreError) { try writer.rollback() } catch { return .refused(error) }
        return .spoiled
    }

    /// Gives each save a transaction of its own, since together they cannot be committed.
    private func alone(_ tell: ([CommittedSave]) -> Void) {
        for (index, save) in saves.enumerated() {
            if let error = culprits[index] {
                tell([CommittedSave(save: save, result: .failure(error))])
            } else {
                GroupCommit(
                    writer: writer, saves: [save], watch: watch, checkForeignChanges: checkForeignChanges
                ).run(tell)
            }
        }
    }
}
