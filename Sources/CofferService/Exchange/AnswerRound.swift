import Synchronization

/// Gathers the answers of several clients to one question.
///
/// Shared; tells once, when the last answer is there.
final class AnswerRound: Sendable {
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
    func begin() { settle(nil) }

    /// An answer came, or will not.
    func take(_ answer: ClientAnswer) { settle(answer) }

    private func settle(_ answer: ClientAnswer?) {
        let all: [ClientAnswer]? = state.withLock { state in
            if let answer { state.answers.append(answer) }
            state.missing -= 1
            return state.missing == 0 ? state.answers : nil
        }
        if let all { completion(all) }
    }
}
