internal import CofferLinux
internal import CofferWire
internal import Synchronization

/// Waiting for replies, and reading by turns.
extension ChannelLink {
    private enum Turn {
        case read
        case park
    }

    /// Waits for the reply of a call: reads, or sleeps while another thread does.
    func wait(
        for ticket: Ticket, until deadline: UInt64?, _ receive: (ReceivedFrame) -> Void
    ) -> Outcome {
        if turn(of: ticket) == .read { return read(for: ticket, until: deadline, receive) }
        switch ticket.slot.take(for: ticket.id, until: deadline) {
        case .reply(let frame):
            ticket.items?.take().forEach(receive)
            return .reply(frame)
        case .lost(let failure): return .lost(failure, wasSent: true)
        case .baton: return read(for: ticket, until: deadline, receive)
        case nil: return giveUpParked(ticket)
        }
    }

    private func turn(of ticket: Ticket) -> Turn {
        state.withLock { state in
            // Whose call is no longer pending has been woken already.
            guard state.pending[ticket.id] != nil else { return .park }
            if !state.hasReader {
                state.hasReader = true
                return .read
            }
            state.parked.append(ticket.id)
            return .park
        }
    }

    /// Reads as the holder of the baton until the reply has come.
    private func read(
        for ticket: Ticket, until deadline: UInt64?, _ receive: (ReceivedFrame) -> Void
    ) -> Outcome {
        do throws(LinkFailure) {
            while true {
                var reply: ReceivedFrame?
                while let frame = try unsafe receiver.nextFrame() {
                    if dispatch(frame, reader: ticket.id, isIdle: false) { reply = frame }
                }
                if let reply {
                    passBaton()
                    ticket.items?.take().forEach(receive)
                    return .reply(reply)
                }
                ticket.items?.take().forEach(receive)
                switch try unsafe receiver.receive(ticket.method, until: deadline) {
                case .received: continue
                case .closed: throw .closed
                case .nothing:
                    cancel(ticket)
                    passBaton()
                    return .timedOut
                }
            }
        } catch {
            fail(error)
            return .lost(error, wasSent: true)
        }
    }

    /// Reads what has come without waiting, if no other thread reads.
    func readWithoutWaiting(isIdle: Bool = false) {
        let isMine = state.withLock { state in
            if state.hasReader || state.failure != nil { return false }
            state.hasReader = true
            return true
        }
        guard isMine else { return }
        do throws(LinkFailure) {
            while true {
                while let frame = try unsafe receiver.nextFrame() {
                    _ = dispatch(frame, reader: nil, isIdle: isIdle)
                }
                switch try unsafe receiver.receive() {
                case .received: continue
                case .closed: throw .closed
                case .nothing: return passBaton()
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Reads while no thread calls, and lets the idle reader sleep again.
    func readWhileIdle() {
        readWithoutWaiting(isIdle: true)
        if state.withLock({ $0.failure == nil && $0.watch.isArmed }) { idleReader?.act(.arm, on: self) }
    }

    /// Gives the baton to the next that waits for it, or puts it down.
    private func passBaton() {
        let next: (call: UInt64, slot: Slot)? = state.withLock { state in
            while !state.parked.isEmpty {
                let call = state.parked.removeFirst()
                if let pending = state.pending[call] { return (call, pending.slot) }
            }
            state.hasReader = false
            return nil
        }
        if let next { next.slot.put(.baton, for: next.call) }
    }

    /// Handles a frame; `true` if it is the reply of the reader's own call.
    private func dispatch(_ frame: ReceivedFrame, reader: UInt64?, isIdle: Bool) -> Bool {
        switch frame.header.kind {
        case .push: onPush(self, frame.payload, isIdle)
        case .reply, .end: return deliver(frame, reader: reader)
        case .item: state.withLock { $0.pending[frame.header.callID]?.items }?.append(frame)
        case .call: onCall(self, frame, isIdle)
        case .cancel: break  // Nothing waits for an answer any longer; it comes all the same.
        }
        return false
    }

    private func deliver(_ frame: ReceivedFrame, reader: UInt64?) -> Bool {
        let id = frame.header.callID
        let pending: Pending? = state.withLock { state in
            guard let pending = state.pending.removeValue(forKey: id) else { return nil }
            if id != reader { state.parked.removeAll { $0 == id } }
            return pending
        }
        guard let pending else { return false }  // Posted, or given up.
        pending.hook?(frame)
        if id == reader { return true }
        pending.slot.put(.reply(frame), for: id)
        return false
    }

    /// Answers a call of the service with a message that has no fields.
    func answer(_ call: FrameHeader) { answer(call, with: []) }

    /// Answers a call of the service that this client does not know.
    func refuse(_ call: FrameHeader) {
        let detail = ErrorDetailMessage(
            code: .unimplemented, reason: "unknown_method",
            text: "This client answers no calls of the method \(call.methodNumber).")
        answer(call, with: detail.packed(), status: detail.code)
    }

    /// Answers a call of the service.
    func answer(_ call: FrameHeader, with payload: [UInt8], status: StatusCode = .ok) {
        var header = FrameHeader(
            kind: .reply, callID: call.callID, payloadByteCount: payload.count, status: status)
        header.methodNumber = call.methodNumber
        let frame = OutgoingFrame(header: header.bytes, payload: payload)
        state.withLock { state in
            if state.failure == nil { state.outbound.append(frame) }
        }
        if let batch = state.withLock({ $0.takeOutbound() }) { flush(batch) }
    }

    /// Stops waiting for a reply, and tells the service.
    private func cancel(_ ticket: Ticket) {
        if let batch = state.withLock({ $0.giveUp(ticket.id) }) { flush(batch) }
    }

    private func giveUpParked(_ ticket: Ticket) -> Outcome {
        // At once: between the two, another thread could begin to wake this thread, and wake the slot's
        // next call.
        let (wasParked, batch): (Bool, [OutgoingFrame]?) = state.withLock { state in
            guard let place = state.parked.firstIndex(of: ticket.id) else { return (false, nil) }
            state.parked.remove(at: place)
            return (true, state.giveUp(ticket.id))
        }
        if let batch { flush(batch) }
        if wasParked { return .timedOut }
        // Another thread is waking this thread at this moment.
        switch ticket.slot.take(for: ticket.id, until: nil) {
        case .reply(let frame): return .reply(frame)
        case .lost(let failure): return .lost(failure, wasSent: true)
        case .baton, nil:
            cancel(ticket)
            passBaton()
            return .timedOut
        }
    }
}
