package import CofferMerge

/// What an object is, without its hash: what its header says, and its name before the hash.
package enum ObjectIdentity: Hashable, Sendable {
    /// Says that a container is here, and which. Of all objects only this one and `removal` are not named by
    /// their content.
    case marker(ContainerID)
    /// Says that the content of a container was removed for good: nothing is to be put there again.
    case removal(ContainerID)
    /// Wrapped keys of the container.
    case keys(KeyID)
    /// The registers of some folds of one peer, one after the other.
    case log(PeerID, folds: ClosedRange<UInt64>)
    /// The names of the parts that are a whole state of one peer, its `number`th.
    case baseline(PeerID, number: UInt64)
    /// A part of baselines.
    case part
    /// A managed object model.
    case model
    /// A large value, or a piece of one.
    case data
}

extension ObjectIdentity {
    /// The kinds of objects, by the number that stands in a header; numbers are never used again.
    enum Kind: UInt8, CaseIterable {
        case marker = 1
        case keys = 2
        case log = 3
        case baseline = 4
        case part = 5
        case model = 6
        case data = 7
        case removal = 8

        /// How many 8-byte numbers tell objects of the kind apart.
        var numberCount: Int {
            switch self {
            case .marker, .removal, .baseline: 2
            case .keys: 1
            case .log: 3
            case .part, .model, .data: 0
            }
        }

        /// Whether names have the hash of the content, or of the whole object.
        var isNamedByContent: Bool { self != .marker && self != .removal }

        /// What names begin with.
        var letter: Substring {
            switch self {
            case .marker: "c"
            case .keys: "k"
            case .log: "l"
            case .baseline: "b"
            case .part: "p"
            case .model: "m"
            case .data: "data/"
            case .removal: "x"
            }
        }
    }

    /// What kind of object it is.
    var kind: Kind {
        switch self {
        case .marker: .marker
        case .keys: .keys
        case .log: .log
        case .baseline: .baseline
        case .part: .part
        case .model: .model
        case .data: .data
        case .removal: .removal
        }
    }

    /// What tells it from others of its kind; as many as the kind has.
    var numbers: [UInt64] {
        switch self {
        case .marker(let container), .removal(let container): [container.high, container.low]
        case .keys(let key): [key.number]
        case .log(let peer, let folds): [peer.number, folds.lowerBound, folds.upperBound]
        case .baseline(let peer, let number): [peer.number, number]
        case .part, .model, .data: []
        }
    }

    /// The identity of that kind with these numbers; `nil` if there is none with them.
    init?(_ kind: Kind, numbers: [UInt64]) {
        guard numbers.count == kind.numberCount else { return nil }
        switch kind {
        case .marker: self = .marker(ContainerID(high: numbers[0], low: numbers[1]))
        case .keys: self = .keys(KeyID(number: numbers[0]))
        case .log:
            // Folds count from 1.
            guard numbers[1] > 0, numbers[1] <= numbers[2] else { return nil }
            self = .log(PeerID(numbers[0]), folds: numbers[1]...numbers[2])
        case .baseline: self = .baseline(PeerID(numbers[0]), number: numbers[1])
        case .part: self = .part
        case .model: self = .model
        case .data: self = .data
        case .removal: self = .removal(ContainerID(high: numbers[0], low: numbers[1]))
        }
    }
}
