package import CofferMerge

/// The state that an exchange keeps in step with a container, and the place where both are kept.
package protocol ExchangeReplica: AnyObject {
    /// The exchange as it was last kept.
    var exchange: Exchange { get throws }

    /// Keeps an exchange.
    func keep(_ exchange: Exchange) throws

    /// Goes on with an exchange in which nothing changed that is to be kept.
    func goOn(with exchange: Exchange) throws

    /// Joins registers into the state and keeps the exchange that gave them, at once or piece by piece, the
    /// exchange with the last one.
    ///
    /// - Returns: The exchange to go on with, which may have folds more: what was saved here before.
    /// - Throws: `JoinRefusal` if the object is at fault; then the exchange goes on as if it had not been
    ///   read, with the folds that it has more. Whatever else is thrown ends the round.
    func join(_ taking: ExchangeTaking, keeping exchange: Exchange) throws -> Exchange

    /// The digest of the state.
    var digest: StateDigest { get throws }

    /// Buries what is dead and as old as `Exchange.burialTime` says, has `write` make a baseline of the
    /// state, and keeps the exchange that has it: all or nothing.
    ///
    /// - Returns: The exchange to go on with.
    func keepBaseline(
        at now: WallTime,
        _ write: @escaping @Sendable (WholeState) throws(ObjectFault) -> Exchange
    ) throws -> Exchange
}

/// An object whose registers a replica cannot join: others can be joined all the same.
package struct JoinRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why not, for people.
    package let reason: String

    package init(reason: String) { self.reason = reason }

    package var description: String { reason }
}

/// A state, for a baseline.
package struct WholeState: Sendable {
    /// All registers, no two of one key.
    package let registers: [Register]
    /// Those of them that were buried for it, and are in no fold yet: no more than one log may have.
    package let burials: [Register]
    /// The digest of all.
    package let digest: StateDigest
    /// The SHA-256 of the author's model.
    package let modelID: [UInt8]

    package init(registers: [Register], burials: [Register], digest: StateDigest, modelID: [UInt8]) {
        self.registers = registers
        self.burials = burials
        self.digest = digest
        self.modelID = modelID
    }
}

/// Does with a carrier what exchanges ask for.
package struct ExchangeRunner {
    /// Where objects lie.
    package let carrier: any ContainerCarrier
    /// The marks of their container.
    package let marks: ContainerMarks

    /// A runner over a carrier.
    package init(_ carrier: any ContainerCarrier, marks: ContainerMarks = ContainerMarks()) {
        (self.carrier, self.marks) = (carrier, marks)
    }

    /// What stood in a round's way, while the rest of it was done.
    package struct Outcome: Equatable, Sendable {
        /// Why nothing more could be written; `nil` if it could.
        package var refusal: CarrierError?
        /// How many steps there were.
        package var stepCount = 0
        /// Whether the rest is left until what is more urgent is done.
        package var isPaused = false
    }

    /// Lists the container, unless it need not be, and does all that follows from it.
    ///
    /// - Parameters:
    ///   - replica: Whose exchange it is; it keeps it after each step.
    ///   - now: Gives the time.
    ///   - newPeer: Gives the id to go on under if another copy writes under this one.
    ///   - news: Objects of others that may have come since it was listed, if that is all that happened: then
    ///     it is not listed again, if `Exchange.canGoOn` says so.
    ///   - isReading: Whether others' objects are read; else what is to be there is put, and nothing more.
    ///   - shouldStop: Asked before each step whether the rest is left for another time.
    ///   - shouldPause: Asked before an object of others is read, after so many, whether something else is
    ///     more urgent.
    /// - Returns: What stood in the way of a part of it.
    /// - Throws: `CarrierError.away` and its like if the container cannot be reached; what was done until
    ///   then stays done. What `replica` throws.
    package func run(
        _ replica: some ExchangeReplica, now: () -> WallTime, newPeer: () -> PeerID = { .random() },
        goingOnWith news: Set<ObjectName>? = nil, reading isReading: Bool = true,
        shouldStop: () -> Bool = { false }, shouldPause: (_ readCount: Int) -> Bool = { _ in false }
    ) throws -> Outcome {
        var exchange = try replica.exchange
        var outcome = Outcome()
        var readCount = 0
        if let news, exchange.canGoOn(with: news) {
            exchange.goOn(with: news)
        } else {
            let listing = try carrier.list()
            if shouldStop() { return outcome }
            exchange.listed(listing, in: marks, at: now(), reading: isReading)
            try replica.keep(exchange)
        }
        while let step = exchange.nextStep(at: now()) {
            if shouldStop() { return outcome }
            if case .get = step, exchange.mayPause, shouldPause(readCount) {
                outcome.isPaused = true
                return outcome
            }
            outcome.stepCount += 1
            switch step {
            case .get(let name):
                var former = exchange
                let taking = try get(name, &exchange, at: now())
                // What waits is read again in the next round.
                if !exchange.isWaiting(name) { readCount += 1 }
                // Before what was saved here becomes one more fold under the old id.
                if exchange.isInDoubt {
                    exchange.change(to: newPeer())
                    former.change(to: exchange.peer)
                }
                guard let taking else { break }
                do {
                    exchange = try replica.join(taking, keeping: exchange)
                    continue
                } catch let refusal as JoinRefusal {
                    // Its folds are not had; what was saved here meanwhile is folded all the same.
                    exchange = former
                    exchange.takeFolds(of: try replica.exchange)
                    exchange.didNotJoin(taking.source, refusal, at: now())
                }
            case .put(let object, let name):
                if let refusal = try put(object, named: name, &exchange, at: now()) {
                    outcome.refusal = refusal
                }
                // That it is there will be seen again.
                if exchange.isContinued {
                    try replica.goOn(with: exchange)
                    continue
                }
            case .remove(let names):
                if let refusal = try remove(names, &exchange) { outcome.refusal = refusal }
            case .writeBaseline:
                let (former, time) = (exchange, now())
                exchange = try replica.keepBaseline(at: time) {
                    (whole) throws(ObjectFault) in
                    var next = former
                    try next.writeBaseline(whole, at: time)
                    return next
                }
                continue
            case .writeReceipt:
                try exchange.append([], digest: replica.digest, modelID: [], at: now())
            }
            try replica.keep(exchange)
        }
        if shouldStop() { return outcome }
        // It may have noted since when something is missed.
        if exchange.isContinued { try replica.goOn(with: exchange) } else { try replica.keep(exchange) }
        return outcome
    }

    private func get(
        _ name: ObjectName, _ exchange: inout Exchange, at now: WallTime
    ) throws(CarrierError) -> ExchangeTaking? {
        do throws(CarrierError) {
            return exchange.took(name, try carrier.get(name), at: now)
        } catch {
            guard case .unreadable(_, let reason) = error else { throw error }
            exchange.didNotGet(name, reason: reason, at: now)
            return nil
        }
    }

    private func put(
        _ object: ContainerObject, named name: ObjectName, _ exchange: inout Exchange, at now: WallTime
    ) throws(CarrierError) -> CarrierError? {
        do throws(CarrierError) {
            try carrier.put(object)
            exchange.didPut(name, at: now)
            return nil
        } catch {
            guard error.isRefusal else { throw error }
            exchange.didNotPut(name)
            return error
        }
    }

    private func remove(
        _ names: [ObjectName], _ exchange: inout Exchange
    ) throws(CarrierError) -> CarrierError? {
        do throws(CarrierError) {
            try carrier.remove(names)
            exchange.didRemove(names)
            return nil
        } catch {
            guard error.isRefusal else { throw error }
            exchange.didNotRemove(names)
            return error
        }
    }
}

extension CarrierError {
    /// Whether only writing is refused.
    fileprivate var isRefusal: Bool {
        switch self {
        case .readOnly, .full, .tooLarge: true
        case .away, .forbidden, .unreadable, .overfull, .unwatchable: false
        }
    }
}
