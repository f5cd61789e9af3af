import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Logging
import Synchronization

/// Serves the calls of channels, on the worker that owns the channel.
///
/// Short calls are answered while the worker keeps the channel, with no other thread woken; a save whose
/// commit the worker is to lead gives the channel back first, so that others read what follows meanwhile.
struct ChannelServer: Sendable {
    let service: ServiceCore

    /// Serves `channel`, at once or when its client may have a worker.
    func serve(_ channel: ServerChannel) {
        let share = channel.session.share
        guard service.reactor.shares.begin(share) else {
            return service.reactor.shares.add(share) { attend(channel) }
        }
        attend(channel)
        service.reactor.shares.end(share)
    }

    /// Serves `channel`, of which a frame was read.
    func serve(
        _ channel: ServerChannel, after frame: FrameHeader, payload: [UInt8],
        descriptors: [OwnedDescriptor]
    ) {
        let share = channel.session.share
        guard service.reactor.shares.begin(share) else {
            return service.reactor.shares.add(share) {
                if goOn(after: frame, payload: payload, descriptors: descriptors, on: channel) {
                    attend(channel)
                }
            }
        }
        if goOn(after: frame, payload: payload, descriptors: descriptors, on: channel) { attend(channel) }
        service.reactor.shares.end(share)
    }

    /// Serves `channel` until nothing more has come, or its turn is over and others may wait.
    private func attend(_ channel: ServerChannel) {
        var end = Monotonic.now + Limits.turn
        while true {
            if service.reactor.isStopping { return }  // The end of the service ends its session.
            let now = Monotonic.now
            if now > end {
                guard service.reactor.hasIdleWorker, !channel.session.share.isAwaited else {
                    return giveTurn(channel)
                }
                end = now + Limits.turn
            }
            // A client that sends calls and reads no answers is not read from either.
            if channel.isCongested, !channel.goesOnDespiteCongestion() { return }
            switch channel.read() {
            case .nothing: return channel.arm()
            case .closed: return service.end(channel.session)
            case .malformed(let error): return refuse(channel, error)
            case .frame(let header, let payload, let descriptors):
                guard goOn(after: header, payload: payload, descriptors: descriptors, on: channel) else {
                    return
                }
            }
        }
    }

    /// Lets others go first: a client that never pauses must not keep a worker.
    func giveTurn(_ channel: ServerChannel) {
        // Frames that have come wait in the channel's input, of which epoll knows nothing.
        if channel.hasInput { service.reactor.run { serve(channel) } } else { channel.arm() }
    }

    /// Handles a frame; `false` if the worker no longer has the channel.
    private func goOn(
        after header: FrameHeader, payload: [UInt8], descriptors: [OwnedDescriptor],
        on channel: ServerChannel
    ) -> Bool {
        switch header.kind {
        case .call: return call(header, payload: payload, descriptors: descriptors, on: channel)
        // The worker that carries out a call here looks itself for the call's end; a save is not taken back.
        case .cancel:
            channel.takeBack(call: header.callID)
            return true
        case .reply where channel.calls.take(header, payload): return true
        case .reply:
            refuse(channel, .malformed("channel: call \(header.callID) was never made"))
            return false
        case .item, .end, .push:
            refuse(channel, .malformed("channel: a client sends no frame of kind \(header.kind)"))
            return false
        }
    }

    private func call(
        _ header: FrameHeader, payload: [UInt8], descriptors: [OwnedDescriptor], on channel: ServerChannel
    ) -> Bool {
        let call = ChannelCall(header)
        channel.didCall(isSave: header.method == .save)
        switch outcome(of: call, header: header, payload: payload, descriptors: descriptors, on: channel) {
        case .answered(let result):
            answer(call, with: result, on: channel)
            return true
        case .pending: return true
        case .deferred(let store, let run):
            // A worker that hands in a save while another leads the commits does not wait; one that is to
            // lead may be at it for as long as others save.
            var wasBusy: Bool?
            run {
                wasBusy = channel.hasInput
                giveTurn(channel)
            } _: {
                // What waits for its turn of the same client is for this worker.
                channel.session.share.isAwaited
            }
            guard let wasBusy else { return !store.polledChannels.keep(channel, servedBy: self) }
            if wasBusy { return false }
            // If the save was committed here, the client's next call may be on its way already.
            return channel.session.pendingCallCount == 0 && channel.takeBack()
        }
    }

    private func answer(_ call: ChannelCall, with result: RPCResult, on channel: ServerChannel) {
        // What the end of the service interrupts is asked of the next one, as if it had never been asked
        // here.
        if service.reactor.isStopping, result.isInterruption { return }
        channel.send(answer: result, call: call)
    }

    /// Hands in a save on `channel`; `false` if it is another store's.
    ///
    /// The leader of the commits of `store` calls this, and carries the save out.
    func enqueueSave(
        _ header: FrameHeader, payload: [UInt8], descriptors: [OwnedDescriptor],
        on channel: ServerChannel, to store: PersistentStore
    ) -> Bool {
        let call = ChannelCall(header)
        switch outcome(of: call, header: header, payload: payload, descriptors: descriptors, on: channel) {
        case .answered(let result): answer(call, with: result, on: channel)
        case .pending: break
        case .deferred(let other, let run) where other.persistentStore === store:
            store.statistics.gatheredSaves.add(1, ordering: .relaxed)
            run({}, { false })
        case .deferred(_, let run):
            service.reactor.run { run({}, { false }) }  // Which may lead that one's commits.
            return false
        }
        return true
    }

    private func outcome(
        of call: ChannelCall, header: FrameHeader, payload: [UInt8], descriptors: [OwnedDescriptor],
        on channel: ServerChannel
    ) -> CallOutcome {
        let address = ReplyAddress.channel(
            channel, call: call, takesItems: header.flags.contains(.takesItems))
        do {
            try channel.session.callBegan(largeRequest: call.largeByteCount)
            guard let method = header.method, let rpc = RPCTable.rpc(method) else {
                throw ServiceError.unknownMethod("number \(header.methodNumber)")
            }
            guard channel.admits(method) else {
                throw ServiceError.protocolMismatch("The first call on a channel is Hello.")
            }
            let payload = try Self.payload(of: header, payload, descriptors)
            let context = CallContext(
                service: service, session: channel.session, sink: channel, address: address,
                interest: CallCancellation(
                    channel.session, channel: channel, call: header.callID,
                    timeoutMilliseconds: header.timeoutMilliseconds),
                requestByteCount: payload.byteCount,
                descriptors: header.flags.contains(.sealedMemory) ? [] : rpc.wanted(of: descriptors))
            do {
                return try rpc.handle(context, payload)
            } catch ServiceError.storeExchanged(let handle) where method.waitsForExchanges {
                guard let key = channel.session.exchangedStore(handle),
                    ParkedCall(context).waits(forExchangeOf: key, .storeExchanged(handle))
                else { throw ServiceError.storeExchanged(handle) }
                return .pending
            }
        } catch {
            return .answered(service.failure(of: error))
        }
    }

    /// The message of a frame, which a large one has in sealed memory beside it.
    private static func payload(
        of header: FrameHeader, _ payload: [UInt8], _ descriptors: [OwnedDescriptor]
    ) throws -> RequestPayload {
        guard header.flags.contains(.sealedMemory), let memory = descriptors.first else {
            return .bytes(payload)
        }
        return try RequestPayload.sealed(memory, byteCount: header.payloadByteCount)
    }

    /// Reports an invalid frame to the client and closes the channel, since nothing that follows can be
    /// understood.
    func refuse(_ channel: ServerChannel, _ error: WireError) {
        service.logger.warning(
            "A client sent an invalid frame",
            metadata: ["client": "\(channel.session.id)", "error": "\(error)"])
        channel.enqueue(lastWords: ServiceError.wire(error).detail)
        channel.flush()
        channel.runPostponed()  // It would keep the channel, which keeps it.
        service.end(channel.session)
    }
}

extension ServiceError {
    /// Any error of a handler as one of ours.
    init(_ error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as WireError: self = .wire(error)
        case let error as StoreError: self = .store(error)
        case let error as LinuxError: self = .system(error)
        default: self = .denied("\(error)")
        }
    }
}
