import CofferDBus
import CofferLinux
import CofferWire
import Synchronization

/// The names on the bus that are asked before the content of a store is exchanged, as clients over channels
/// are.
///
/// Shared. A name takes part because it said so, and no longer than it answers: one that was late is not
/// asked again.
final class BusHandshakes: Sendable {
    private struct Question: Hashable {
        let name: String
        let number: UInt64
    }

    private struct Pending {
        var cancelDeadline: @Sendable () -> Void = {}
        let completion: @Sendable (ClientAnswer) -> Void
    }

    private struct State {
        var names: [StoreKey: Set<String>] = [:]
        var pending: [Question: Pending] = [:]
        var lastQuestion: UInt64 = 0
        var connection: DBusConnection?
    }

    private let state = Mutex(State())

    /// Names that may take part in one store's exchanges.
    private static let namesOfStore = 64

    /// What is asked with, once there is a bus.
    func connect(_ connection: DBusConnection) { state.withLock { $0.connection = connection } }

    /// Adds a name to those that are asked, or removes it.
    ///
    /// - Throws: `ServiceError.denied` if too many are asked already.
    func takePart(_ name: String, in key: StoreKey, _ takesPart: Bool) throws(ServiceError) {
        let isFull = state.withLock { state in
            if !takesPart {
                state.names[key]?.remove(name)
                return false
            }
            if state.names[key, default: []].count >= Self.namesOfStore { return true }
            state.names[key, default: []].insert(name)
            return false
        }
        if isFull {
            throw .denied("\(Self.namesOfStore) names are asked about '\(key.description)' already.")
        }
    }

    /// The names that are to be asked about a store.
    func names(of key: StoreKey) -> [String] { state.withLock { Array($0.names[key] ?? []) } }

    /// Asks a name; the answer is told once.
    func ask(
        _ name: String, of key: StoreKey, why kind: String, timeout: Duration, deadlines: TimerQueue,
        _ completion: @escaping @Sendable (ClientAnswer) -> Void
    ) {
        let question: Question = state.withLock { state in
            state.lastQuestion += 1
            let question = Question(name: name, number: state.lastQuestion)
            state.pending[question] = Pending(completion: completion)
            return question
        }
        let deadline = deadlines.add(after: timeout) { [self] in
            let pending = state.withLock { state in
                state.names[key]?.remove(name)
                return state.pending.removeValue(forKey: question)
            }
            pending?.completion(.late)
        }
        let isOpen = state.withLock { state in
            state.pending[question]?.cancelDeadline = { deadlines.remove(deadline) }
            return state.pending[question] != nil
        }
        if !isOpen { return deadlines.remove(deadline) }  // The deadline has passed, or the name has gone.
        let milliseconds = UInt32(clamping: timeout.wholeNanoseconds / 1_000_000)
        let body: [DBusValue] = [.string(kind), .uint64(question.number), .uint32(milliseconds)]
        send("StoresWillChange", body, of: key, to: name)
    }

    /// Takes a name's answer; `false` if it was not asked that, or was late.
    func take(_ number: UInt64, from name: String) -> Bool {
        let pending = state.withLock { $0.pending.removeValue(forKey: Question(name: name, number: number)) }
        guard let pending else { return false }
        pending.cancelDeadline()
        pending.completion(.reply(.ok, []))
        return true
    }

    /// Tells the names that take part that a store has other content, or is as it was.
    func tell(_ kind: String, of key: StoreKey, isUnchanged: Bool) {
        for name in names(of: key) {
            send("StoresDidChange", [.string(kind), .boolean(isUnchanged)], of: key, to: name)
        }
    }

    /// A name has gone: what it was asked counts as answered.
    func nameIsGone(_ name: String) {
        let left = state.withLock { state in
            for key in state.names.keys { state.names[key]?.remove(name) }
            let questions = state.pending.keys.filter { $0.name == name }
            return questions.compactMap { state.pending.removeValue(forKey: $0) }
        }
        for pending in left {
            pending.cancelDeadline()
            pending.completion(.gone)
        }
    }

    private func send(_ member: String, _ body: [DBusValue], of key: StoreKey, to name: String) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        let signal = DBusMessage.signal(
            path: key.objectPath, interface: BusNames.ubiquitousStoreInterface, member: member, body: body,
            to: name)
        connection.post { bus in
            _ = try? bus.send(signal)  // The bus is gone, and the service with it.
        }
    }
}
