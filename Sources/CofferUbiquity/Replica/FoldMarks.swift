internal import CofferContainer
internal import CofferMerge

/// Which transactions of a store's history are in which of its folds, so that a client that saved can be
/// told how far that save is on its way.
///
/// A value. After a restart the last fold stands for all that came before it.
struct FoldMarks: Sendable, Equatable {
    /// All transactions up to `transaction` are in folds of `writer` up to `fold`.
    struct Mark: Sendable, Equatable {
        var transaction: UInt64
        var writer: PeerID
        var fold: UInt64
    }

    /// Ascending.
    private(set) var marks: [Mark] = []

    /// Notes how far folding has come.
    ///
    /// - Parameters:
    ///   - transaction: The last transaction that is folded.
    ///   - fold: The last fold.
    ///   - writer: Under which id that was written.
    mutating func note(_ transaction: UInt64, in fold: UInt64, by writer: PeerID) {
        if let last = marks.last, last.writer == writer, last.fold == fold {
            marks[marks.count - 1].transaction = max(last.transaction, transaction)
            return
        }
        // History went back: what was noted is of another history.
        if let last = marks.last, last.transaction > transaction { marks = [] }
        marks.append(Mark(transaction: transaction, writer: writer, fold: fold))
        // Its transactions are told of with the next fold, which is later than need be, and true.
        if marks.count > Limits.foldMarks { marks.remove(at: marks.count / 2) }
    }

    /// The last transaction up to which all are in folds for which `holds` is true; 0 if none is.
    func last(where holds: (Mark) -> Bool) -> UInt64 {
        // Folds leave in their order, mostly; each is asked for itself.
        var last: UInt64 = 0
        for mark in marks {
            guard holds(mark) else { break }
            last = mark.transaction
        }
        return last
    }
}
