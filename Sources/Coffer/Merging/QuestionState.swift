/// How far a question of one context to another has come.
///
/// A question that was not begun in time is never answered: the asking context was told so, keeps what it
/// asked for, and asks again. One that was begun is waited for, since it will be answered.
package enum QuestionState<Work: Sendable, Answer: Sendable>: Sendable {
    /// The context has not come to it yet.
    case waiting(Work)
    /// The work is being done.
    case begun
    /// The work was done.
    case answered(Answer)
    /// The asking context does not wait for it any more.
    case abandoned

    /// Begins it, and returns the work; `nil` if that is done already, or not to be done any more.
    package mutating func begin() -> Work? {
        switch self {
        case .waiting(let work):
            self = .begun
            return work
        case .begun, .answered, .abandoned: return nil
        }
    }

    /// Notes the answer to what was begun; the first one counts.
    package mutating func finish(_ answer: Answer) {
        switch self {
        case .begun: self = .answered(answer)
        case .waiting, .answered, .abandoned: break
        }
    }

    /// Gives it up; `false` if it was begun already, and so has an answer sooner or later.
    package mutating func giveUp() -> Bool {
        switch self {
        case .waiting, .abandoned:
            self = .abandoned
            return true
        case .begun, .answered: return false
        }
    }

    /// The answer, if there is one.
    package var answer: Answer? {
        switch self {
        case .answered(let answer): answer
        case .waiting, .begun, .abandoned: nil
        }
    }
}
