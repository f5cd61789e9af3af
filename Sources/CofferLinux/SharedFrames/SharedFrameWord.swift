/// What the first eight bytes of a place say at which one end of a stream hands bytes to the other.
///
/// In memory it is one number: the state in its lowest two bits, the mark in the third, what belongs to the
/// state above.
package struct SharedFrameWord: Equatable, Sendable {
    /// Which end may touch the place's bytes.
    package enum State: Equatable, Sendable {
        /// Neither: the receiver does not look here.
        case closed
        /// The sender: the receiver looks here, and has taken so many bytes out of the socket.
        case open(received: UInt64)
        /// The receiver: so many bytes wait for it.
        case full(byteCount: Int)
    }

    package var state: State
    /// Whether something went through the socket since the receiver last looked at the word.
    package var isMarked: Bool

    /// A word from its state and mark.
    package init(_ state: State, isMarked: Bool = false) {
        self.state = state
        self.isMarked = isMarked
    }
}

extension SharedFrameWord {
    /// What the word says after a sender that has sent so many bytes through the socket has put bytes down;
    /// `nil` if it must not and has to take the socket.
    ///
    /// The receiver must have taken all that went through the socket before: so both ways together stay one
    /// stream. What goes through the socket afterwards is behind them, since a receiver that stops polling
    /// takes them first.
    package func put(byteCount: Int, sent: UInt64) -> SharedFrameWord? {
        guard case .open(sent & Self.counts) = state, !isMarked else { return nil }
        return SharedFrameWord(.full(byteCount: byteCount))
    }
}

extension SharedFrameWord {
    static let mark: UInt64 = 4
    /// What a word has room for; counts go on from 0.
    private static let counts = UInt64.max >> 3

    /// The number as another process may have written it; `nil` if it does not name a state.
    package init?(rawValue: UInt64) {
        let number = rawValue >> 3
        switch rawValue & 3 {
        case 0 where number == 0: state = .closed
        case 1: state = .open(received: number)
        case 2: state = .full(byteCount: Int(number))
        default: return nil
        }
        isMarked = rawValue & Self.mark != 0
    }

    /// The number that stands in memory.
    package var rawValue: UInt64 {
        let value: UInt64 =
            switch state {
            case .closed: 0
            case .open(let received): (received & Self.counts) << 3 | 1
            case .full(let byteCount): UInt64(byteCount) << 3 | 2
            }
        return isMarked ? value | Self.mark : value
    }
}
