/// What is known of an account's content on a machine that may be new to it: `coffer.v1.FirstContent`.
package enum FirstContentMessage: Sendable, Hashable {
    /// The container cannot be reached, or files may still be on their way.
    case unknown
    /// There is nothing, and nothing is on its way.
    case empty
    /// So many of the logs and baselines that are known were read.
    case importing(read: UInt64, total: UInt64)
    /// There is some here.
    case present

    /// What a field and its numbers say; `nil` where that is nothing.
    ///
    /// - Throws: `WireError.malformed` where the number of the case is unknown.
    init?(_ number: UInt32, read: UInt64, total: UInt64) throws(WireError) {
        switch number {
        case 0: return nil
        case 1: self = .unknown
        case 2: self = .empty
        case 3: self = .importing(read: read, total: total)
        case 4: self = .present
        default: throw .malformed("coffer.v1.UbiquitousStore.first_content: \(number) is unknown")
        }
    }

    /// The number of the case.
    var number: UInt32 {
        switch self {
        case .unknown: 1
        case .empty: 2
        case .importing: 3
        case .present: 4
        }
    }
}
