package import CofferContainer
package import CofferCoordination
internal import CofferLinux
internal import CofferMerge
internal import CofferStores
internal import Synchronization

/// The work of one store's thread: folds what was saved, and exchanges with the container.
///
/// Shared by that thread and the leader of a commit, for which it waits.
package final class UbiquityWork: ExchangeReplica, Sendable {
    /// The store; `nil` once the work has left it, so that a thread that hangs in a carrier keeps no file
    /// open.
    let store: Mutex<PersistentStore?>
    let carrier: any ContainerCarrier
    /// How many bytes were carried; `nil` if they are not counted.
    var traffic: CarrierTraffic? { carrier.traffic }
    let environment: UbiquitousStore.Environment
    let signals: UbiquitySignals
    /// What is known of the container; `nil` before it was looked at.
    let visit = Mutex<ContainerVisit?>(nil)
    /// The registers between two transactions; `nil` if they are to be read from the file.
    let kept = Mutex<KeptReplica?>(nil)
    /// How often they were taken away or put back.
    let keptChanges = Atomic<Int>(0)
    let values: ValueCarrying
    /// How much is joined at once.
    let pace = Mutex(JoiningPace())
    /// What is to be joined besides what comes out of the container, in turn.
    let incoming = Mutex<[IncomingContent]>([])
    /// How much was done since free memory was given back.
    let effort = Mutex(MemoryEffort())
    /// How soon the file is tried again if it could not be read or written, and the container if it could
    /// not be reached, or not be written.
    private let retries = Mutex((file: RetryPause(), container: RetryPause()))
    /// Whether nothing could be made of what the file says that follows of registers, until it is made again.
    let isDerivedDamaged = Atomic<Bool>(false)
    /// Whether the journal of conflicts was looked at since the store was opened.
    let isJournalChecked = Mutex(false)

    package init(
        _ store: PersistentStore, over carrier: any ContainerCarrier,
        in environment: UbiquitousStore.Environment, _ signals: UbiquitySignals
    ) {
        self.store = Mutex(store)
        self.carrier = carrier
        (self.environment, self.signals) = (environment, signals)
        values = ValueCarrying(over: carrier)
    }

    /// Ends the work: once this returns nothing of it has to do with the store.
    package func end() {
        signals.end()
        // What is let go may end here, and not under the lock.
        _ = store.withLock { $0.take() }
        _ = kept.withLock { $0.take() }
        dropIncoming()
    }

    /// Does all that is to be done now.
    ///
    /// - Parameter look: What of the container is to be looked at.
    /// - Returns: How soon it is to be done again at the latest: if the file could not be read or
    ///   written, or the container not be reached, if an object could not be read or large values are
    ///   missing, and if memory is to be given back. `nil` if only the next event matters.
    @discardableResult
    package func run(_ look: ContainerPulse.Look = .whole) -> Duration? {
        guard signals.beginWork() else { return nil }
        defer { signals.endWork(isWhole: look == .whole) }
        waitForQuiet()
        var failed: [any Error] = []
        do { try fold() } catch { failed.append(error) }
        let isFolded = failed.isEmpty
        do { try forgetOldConflicts() } catch { failed.append(error) }
        if isFolded { do { try takeIncoming() } catch { failed.append(error) } }
        // What others wrote is joined after what was saved here; but what is folded already goes out.
        let isReading = isFolded && environment.isReading
        var isTriedLater = false
        do {
            isTriedLater = try exchangeWithContainer(reading: isReading, look)
        } catch {
            failed.append(error)
        }
        // The caller that ended the work knows why it was cut off.
        if signals.isOver { return nil }
        for error in failed { environment.report(.failed("\(error)")) }
        let rest = returnMemory()
        let status = showStatus(failed.first.map { "\($0)" })
        // Nothing tells when its marker was missed for long enough.
        let patience = status.condition == .doubtful ? environment.patience : nil
        let values = status.missingValueCount > 0 ? environment.valuePause : nil
        let (file, container) = pauses(after: failed, isTriedLater: isTriedLater)
        return [patience, file ?? values, container, rest, retryPause(of: status)].compactMap(\.self).min()
    }

    /// How soon what could not be read is tried again: of what a carrier writes bit by bit the end may be
    /// told of before it can be read, and nothing tells it again.
    private func retryPause(of status: UbiquityStatus) -> Duration? {
        guard environment.isReading, status.condition.isExchanged, let next = status.nextTry
        else { return nil }
        // Its time may have come while others were read.
        return max(environment.retry, next.passed(since: environment.now()))
    }

    /// Gives back what came free, if much was done and that is over.
    ///
    /// - Returns: When to look again; `nil` if not much was done.
    private func returnMemory() -> Duration? {
        let (isOver, isMuch) = effort.withLock { ($0.takeIsOver(at: Monotonic.now), $0.isMuch) }
        if isOver { Allocator.returnFreeMemory() }
        return isMuch ? Limits.restBeforeReturn : nil
    }

    /// Notes that registers were read, folded or joined, about so many.
    func noteHandled(_ registerCount: Int) {
        effort.withLock { $0.note(registerCount, at: Monotonic.now) }
    }

    /// Lets saves that follow each other closely become one fold.
    private func waitForQuiet() {
        while let saves = signals.saves.withLock({ $0 }), !signals.isOver {
            let (now, end) = (Monotonic.now, foldTime(of: saves))
            if now >= end { return }
            signals.waitUntilOver(timeout: .nanoseconds(end - now))
        }
    }

    /// When what was saved is to be folded at the latest.
    private func foldTime(of saves: (first: UInt64, last: UInt64)) -> UInt64 {
        min(
            saves.last + environment.quiet.wholeNanoseconds,
            saves.first + environment.longestWait.wholeNanoseconds)
    }

    /// Whether something was saved that is to be folded now.
    private var isFoldDue: Bool {
        signals.saves.withLock { $0 }.map { Monotonic.now >= foldTime(of: $0) } ?? false
    }

    /// A matter of a file, of its disk or of a folder may be over in a moment, of which nothing tells.
    private func pauses(
        after failed: [any Error], isTriedLater: Bool
    ) -> (file: Duration?, container: Duration?) {
        let isOfFile = failed.contains { ($0 as? StoreError).map { !$0.isOfContent } ?? false }
        return retries.withLock { [environment] retries in
            (
                retries.file.note(
                    hasFailed: isOfFile, first: environment.retry, longest: environment.longestRetry),
                retries.container.note(
                    hasFailed: isTriedLater, first: environment.retry, longest: environment.longestRetry)
            )
        }
    }

    /// Folds what was saved, if anything was.
    private func fold() throws(StoreError) {
        let saves = signals.saves.withLock { saves in
            defer { saves = nil }
            return saves
        }
        let isForeign = signals.isForeign.exchange(false, ordering: .acquiringAndReleasing)
        do throws(StoreError) {
            let (folded, isMigrated) = try read { ($0.folded, $0.isMigrated) }
            if folded > 0, !isMigrated, !isForeign, try inStore({ $0.number }) == folded { return }
            if !isMigrated { try prepareFold(since: folded, isForeign: isForeign) }
            _ = try change { [self] kept, writer, origin, now throws(StoreError) in
                // Rows that are to come up otherwise would pass for edits, if they were saved since.
                if !kept.prepared.names.isEmpty,
                    writer.lastTransaction != kept.folded || signals.isForeign.load(ordering: .acquiring)
                {
                    kept = try readAgain(over: writer.connection, of: writer.file)
                }
                kept.isForeign = isForeign && !kept.prepared.isMade
                return try kept.pass(on: writer, by: origin, at: now)
            }
            // A caller that waits for the fold need not wait for the carrier.
            showStatus(signals.status.failure)
        } catch {
            if isForeign { signals.isForeign.store(true, ordering: .releasing) }
            if let saves {
                signals.saves.withLock { $0 = (saves.first, max(saves.last, $0?.last ?? saves.last)) }
            }
            throw error
        }
    }

    private func newVisit() throws(StoreError) -> ContainerVisit {
        var memory = try readMemory()
        memory.root = environment.root
        var visit = ContainerVisit(memory)
        visit.patience = environment.patience
        return visit
    }

    /// Exchanges with the container what can be exchanged.
    ///
    /// - Returns: Whether to look again, each time later.
    private func exchangeWithContainer(reading isReading: Bool, _ look: ContainerPulse.Look) throws -> Bool {
        let peer = try read { $0.exchange.peer }
        let isTriedLater: Bool
        if isReading, case .objects(let news) = look, let isDone = try goOn(with: news) {
            isTriedLater = isDone
        } else {
            isTriedLater = try lookAndExchange(reading: isReading, as: peer)
        }
        let present = try read { $0.exchange.peer }
        if present != peer { environment.report(.peerChanged(present)) }
        return isTriedLater
    }

    /// Exchanges what came since the container was looked at last.
    ///
    /// - Returns: As `exchangeWithContainer`; `nil` if all of it is to be looked at.
    private func goOn(with news: Set<ObjectName>) throws -> Bool? {
        guard let visit = visit.withLock({ $0 }), visit.condition == .there(.open),
            try read({ $0.exchange.canGoOn(with: news) })
        else { return nil }
        let marked = MarkedCarrier(carrier: carrier, memory: visit.memory)
        return try take(visit) {
            let outcome = try exchange(over: marked, reading: true, goingOnWith: news)
            // What came may name values, of which nothing tells.
            let isMore = try outcome.isPaused || !news.isEmpty && !read { $0.values.wanted.isEmpty }
            return isMore ? nil : outcome
        }
    }

    /// Looks at all of the container, and exchanges what is to be exchanged.
    private func lookAndExchange(reading isReading: Bool, as peer: PeerID) throws -> Bool {
        var visit = try self.visit.withLock { $0 } ?? newVisit()
        let (former, memory) = (visit.condition, visit.memory)
        let actions = visit.look(carrier, as: peer, at: environment.now())
        self.visit.withLock { [visit] in $0 = visit }
        if visit.memory != memory { try keep(visit.memory) }
        if visit.condition != former { environment.report(.condition(visit.condition)) }
        guard actions.contains(.exchange), !signals.isOver else { return actions.contains(.tryLater) }
        var foldFailure: StoreError?
        let isTriedLater = try take(visit) { [visit] in
            let marked = MarkedCarrier(carrier: carrier, memory: visit.memory)
            var outcome = try exchange(over: marked, reading: isReading)
            while outcome.isPaused, !signals.isOver, foldFailure == nil {
                do throws(StoreError) { try fold() } catch { foldFailure = error }
                _ = try exchange(over: marked, reading: false)
                outcome = try exchange(over: marked, reading: foldFailure == nil)
            }
            if isReading { try takeValues() }
            return outcome
        }
        if let foldFailure { throw foldFailure }
        return isTriedLater ?? false
    }

    /// Exchanges, and notes what that tells of the container.
    ///
    /// - Returns: Whether to look again, each time later; `nil` if `body` gave nothing.
    private func take(_ visit: ContainerVisit, _ body: () throws -> ExchangeRunner.Outcome?) throws -> Bool? {
        var visit = visit
        let condition = visit.condition
        let further: [ContainerAction]
        do {
            guard let outcome = try body() else { return nil }
            let event = outcome.refusal.flatMap { ContainerEvent($0) } ?? .accepted
            further = visit.take(event, at: environment.now())
        } catch let error as CarrierError {
            further = visit.take(ContainerEvent(error) ?? .unreachable, at: environment.now())
        }
        if visit.condition != condition { environment.report(.condition(visit.condition)) }
        self.visit.withLock { [visit] in $0 = visit }
        return further.contains(.tryLater)
    }

    /// Exchanges what can be, until all is, or something that was saved here waits for it.
    private func exchange(
        over marked: MarkedCarrier, reading isReading: Bool, goingOnWith news: Set<ObjectName>? = nil
    ) throws -> ExchangeRunner.Outcome {
        try putValues(over: marked)
        return try ExchangeRunner(marked, marks: marked.memory.marks).run(
            self, now: environment.now, newPeer: { PeerID(environment.words().0) }, goingOnWith: news,
            reading: isReading, shouldStop: { signals.isOver },
            shouldPause: { $0 >= environment.readsAtOnce && isFoldDue })
    }
}
