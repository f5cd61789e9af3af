import Coffer
import CofferLinux
import CofferModel
import ContextSupport
import TestSupport

/// Saves notes on one machine, one after the other, until it is told to stop.
///
/// Shared.
final class NoteWriter: Sendable {
    private struct State {
        var names: [String] = []
        var isOver = false
        var hasEnded = false
        var failure: String?
    }

    private let state = ConditionLock(State())

    /// Begins to save notes whose names begin with `prefix`; if there is a note named `common`, each save
    /// edits its text too.
    init(_ prefix: String, on machine: SharingMachine, editing common: String? = nil) throws {
        let (state, container) = (state, machine.container)
        _ = try WorkerThread(name: "writer-\(prefix)") {
            do {
                let context = container.newContext()
                context.mergePolicy = .mergeByPropertyObjectTrump
                let shared = try context.all("Note").first { $0["name"].text == common }
                while !state.withLock({ $0.isOver }) {
                    let name = "\(prefix)-\(state.withLock { $0.names.count })"
                    try context.make("Note", ["name": .string(name)])
                    try shared?.setValue(.string(name), forKey: "text")
                    try context.save()
                    state.withLock { $0.names.append(name) }
                    state.broadcast()
                }
            } catch {
                state.withLock { $0.failure = "\(error)" }
            }
            state.withLock { $0.hasEnded = true }
            state.broadcast()
        }
    }

    /// Waits until so many more were saved.
    func wait(for more: Int) throws {
        let end = state.withLock { $0.names.count } + more
        let isDone: Bool? = state.wait(timeout: .seconds(60)) { state in
            state.names.count >= end || state.hasEnded ? state.failure == nil : nil
        }
        guard isDone == true else { throw Stopped(why: state.withLock { $0.failure } ?? "no saves came") }
    }

    /// Ends it; gives the names of what it saved.
    func end() throws -> [String] {
        state.withLock { $0.isOver = true }
        let hasEnded: Bool? = state.wait(timeout: .seconds(60)) { $0.hasEnded ? $0.failure == nil : nil }
        guard hasEnded == true else { throw Stopped(why: state.withLock { $0.failure } ?? "it did not end") }
        return state.withLock { $0.names }
    }

    /// It saves no more, or not in time.
    struct Stopped: Error {
        let why: String
    }
}
