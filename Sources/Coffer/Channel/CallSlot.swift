internal import CofferLinux

/// Where a thread sleeps until its reply has come, or it is its turn to read.
///
/// Shared; used again and again, by one call at a time, each with a higher number than the one before. A
/// wake-up that comes too late for its call does not wake a later one.
package final class CallSlot<Wake: Sendable>: Sendable {
    private struct Note {
        var call: UInt64
        var wake: Wake
    }

    private let note = ConditionLock<Note?>(nil)

    /// A slot in which no thread sleeps.
    package init() {}

    /// Wakes the thread, if it is still that of a call.
    package func put(_ wake: Wake, for call: UInt64) {
        note.withLock { note in
            if let there = note, there.call > call { return }
            note = Note(call: call, wake: wake)
        }
        note.signal()
    }

    /// Sleeps until a call is woken; `nil` once the monotonic `deadline` has passed.
    package func take(for call: UInt64, until deadline: UInt64?) -> Wake? {
        guard let deadline else { return note.wait { Self.taken(&$0, call) } }
        let now = Monotonic.now
        let rest = Duration.nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0))
        return note.wait(timeout: rest) { Self.taken(&$0, call) }
    }

    /// Forgets a wake-up that no thread took.
    package func reset() { note.withLock { $0 = nil } }

    private static func taken(_ note: inout Note?, _ call: UInt64) -> Wake? {
        defer { note = nil }
        return note?.call == call ? note?.wake : nil
    }
}
