package import CofferContainer
internal import CofferCoordination
internal import CofferLinux
internal import CofferMerge
internal import CofferStores
internal import CofferWire
internal import Synchronization

/// The state that the exchange keeps in step with the container.
extension UbiquityWork {
    package var exchange: Exchange {
        get throws { try read { $0.exchange } }
    }

    package var digest: StateDigest {
        get throws { try read { $0.digest } }
    }

    package func keep(_ exchange: Exchange) throws {
        let isChanged = kept.withLock { kept in
            kept?.exchange = exchange
            return kept?.isExchangeChanged ?? true
        }
        if !isChanged { return }
        _ = try change { kept, writer, origin, _ throws(StoreError) in
            kept.exchange = exchange
            try kept.keep([], on: writer.connection)
            return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
        }
    }

    package func goOn(with exchange: Exchange) throws {
        kept.withLock { $0?.exchange = exchange }
    }

    package func join(_ taking: ExchangeTaking, keeping exchange: Exchange) throws -> Exchange {
        var pieces = TakingPieces(taking.registers)
        repeat {
            let piece = taking.piece(of: pieces.next(of: pace.withLock { $0.registerCount }))
            let isLast = pieces.isAtEnd
            let execution: SaveExecution
            do throws(StoreError) {
                execution = try change { [self] kept, writer, origin, now throws(StoreError) in
                    let start = Monotonic.now
                    defer { pace.withLock { $0.note(piece.registers.count, in: Monotonic.now - start) } }
                    // What is folded first goes out under the id that the exchange goes on with.
                    if kept.exchange.peer != exchange.peer { kept.exchange.change(to: exchange.peer) }
                    // All of it is had only with the last piece; if this is cut off before, it is joined
                    // again.
                    return try kept.pass(
                        joining: TakenPiece(taking: piece, exchange: exchange, isLast: isLast), on: writer,
                        by: origin, at: now)
                }
            } catch {
                guard error.isOfContent else { throw error }
                throw JoinRefusal(reason: "\(error)")
            }
            noteHandled(piece.registers.count)
            report(execution)
            // A first join takes long: how far it is can be seen.
            showStatus(nil)
        } while !pieces.isAtEnd
        return try self.exchange
    }

    package func keepBaseline(
        at now: WallTime,
        _ write: @escaping @Sendable (WholeState) throws(ObjectFault) -> Exchange
    ) throws -> Exchange {
        try inStore { _ throws(StoreError) in
            try prepare { kept throws(StoreError) in
                try kept.prepareBaseline(at: now, write)
                noteHandled(kept.registerCount)
            }
        }
        _ = try change { kept, writer, origin, _ throws(StoreError) in
            if !kept.prepared.hasBaseline { try kept.prepareBaseline(at: now, write) }
            try kept.keep([], on: writer.connection)
            return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
        }
        return try self.exchange
    }
}
