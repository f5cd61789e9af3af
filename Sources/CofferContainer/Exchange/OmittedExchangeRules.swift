/// Rules of an exchange that a simulation leaves out, to show that this is noticed.
///
/// Nothing else leaves any out.
package struct OmittedExchangeRules: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// All baselines that are there are read, not only the newest.
    package static let allBaselines = OmittedExchangeRules(rawValue: 1 << 0)
    /// What a baseline stands for goes once another peer has read that.
    package static let readBeforeRemoval = OmittedExchangeRules(rawValue: 1 << 1)
    /// Logs of one's own are kept until a baseline has them that another peer has read.
    package static let keptOutbox = OmittedExchangeRules(rawValue: 1 << 2)
    /// Two chains under one id are two peers.
    package static let chains = OmittedExchangeRules(rawValue: 1 << 3)
}
