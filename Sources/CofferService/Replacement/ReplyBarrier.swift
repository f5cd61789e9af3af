import Synchronization

/// Gathers the answers of several clients to one question.
///
/// Shared; tells once, when the last answer is there.
final class ReplyBarrier: Sendable {
    private struct State {
        var missing: Int
        var answers: [ClientAnswer] = []
    }

    private let state: Mutex<State>
    private let completion: @Sendable ([ClientAnswer]) -> Void

    /// A round of `count` questions, which is over no sooner than `begin` was called.
    init(count: Int, completion: @escaping @Sendable ([ClientAnswer]) -> Void) {
        state = Mutex(State(missing: count + 1))
        self.completion = completion
    }

    /// All were asked.
    func begin() { count(nil) }

    /// An answer came, or will not.
    func take(_ answer: ClientAnswer) { count(answer) }

    private func count(_ answer: ClientAnswer?) {
        let all: [ClientAnswer]? = state.withLock { state in
            if let answer { state.answers.append(answer) }
            state.missing -= 1
            return state.missing == 0 ? state.answers : nil
        }
        if let all { completion(all) }
    }
}
