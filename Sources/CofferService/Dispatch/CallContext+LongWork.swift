import CofferCoordination
import CofferLinux
import CofferWire

/// What calls share that write files for a long time.
extension CallContext {
    /// Answers with what `work` gives, from a thread of its own, so that it keeps no worker.
    func onThread(
        named name: String, _ work: @escaping @Sendable (CallContext) -> RPCResult
    ) throws(ServiceError) -> CallOutcome {
        service.lifecycle.beginUse()
        let call = interest.detached()
        do throws(LinuxError) {
            _ = try WorkerThread(name: name) {
                var context = self
                context.interest = call.interest
                let result = work(context)
                call.end()
                address.send(result)
                service.lifecycle.endUse()
            }
        } catch {
            call.end()
            service.lifecycle.endUse()
            throw .system(error)
        }
        return .pending
    }

    /// The folder whose descriptor came along; `nil` if none came that may be written for the caller.
    func callersFolder(at place: String) throws(ServiceError) -> Folder? {
        // The system's service never leaves its own folders, and what a sandbox may not write is not written
        // for it.
        guard let descriptor = descriptors.first, !service.places.isSystem, !session.caller.isSandboxed
        else { return nil }
        do throws(LinuxError) {
            return try Folder(descriptor, path: place)
        } catch {
            throw .unfitBackupFolder("The descriptor is not that of a folder: \(error).")
        }
    }
}

/// Parts of an answer that tell how far long work has come.
struct PartialProgress {
    private var hasParts = false
    private var nextPart = Monotonic.now

    /// Sends a part if it is time for one and the caller takes parts; `false` if the caller waits no longer.
    mutating func send(to address: ReplyAddress, _ part: () -> some WireMessage) -> Bool {
        guard address.takesItems, Monotonic.now >= nextPart else { return true }
        nextPart = Monotonic.now + UInt64(Limits.progressInterval.wholeNanoseconds)
        hasParts = true
        // If that cannot be sent, the caller waits no longer, which is found out next.
        return (try? address.send(part: part())) != nil
    }

    /// The answer, as what follows the parts, or alone.
    func result(_ reply: some WireMessage) -> RPCResult { hasParts ? .packing(end: reply) : .packing(reply) }
}
