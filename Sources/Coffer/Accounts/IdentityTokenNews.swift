internal import Synchronization

/// Tells of a token when it differs from the one that was told before.
///
/// Shared. Several threads may ask for the token at a time, and have their answers in any order. Of two
/// answers, the one to the later question stays, since what changes after that is asked for again.
final class IdentityTokenNews: Sendable {
    private struct State {
        var questions = 0
        /// The question whose answer was told last, and the answer; 0 and none before any.
        var told: (question: Int, token: UbiquityIdentityToken?) = (0, nil)
    }

    private let state = Mutex(State())
    private let tell: @Sendable (UbiquityIdentityToken?) -> Void

    init(_ tell: @escaping @Sendable (UbiquityIdentityToken?) -> Void) { self.tell = tell }

    /// The number of a question that is asked now.
    func beginQuestion() -> Int {
        state.withLock { state in
            state.questions += 1
            return state.questions
        }
    }

    /// Takes the answer to a question.
    func answer(_ question: Int, _ token: UbiquityIdentityToken?) {
        state.withLock { state in
            guard question > state.told.question else { return }
            let isNews = state.told.question == 0 || state.told.token != token
            state.told = (question, token)
            // Within the lock, so that tokens are told in order.
            if isNews { tell(token) }
        }
    }
}
