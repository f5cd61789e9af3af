internal import CofferContainer
package import CofferMerge

/// A rule left out: a simulation that does not notice has not tested it.
///
/// Each is noticed from seed 1 on, over a container if `isOfContainer` says so; first in the schedule
///
/// - 1 to 5: `risingStamps`, `lastArrival`, `sameness`, `ownFolds`, `readBeforeRemoval`, `keptOutbox`,
///   `denial`, `sealing`, `yieldingDefaults`, `staying`, `foldedImports`, `rowsFirst`, `orderNumbers`
/// - 8 to 12: `lateChildren`, `looseReferences`, `rescue`, `mutualPairs`
/// - 65 to 91: `chains`, `allBaselines`
/// - 433 to 763: `migrations`, `equalStamps`, `circles`, `hiddenLinks`
/// - 1,113 to 2,278: `hiddenKeys`, `hiddenReferences`
package enum Mutant: String, CaseIterable, Sendable {
    case risingStamps, lastArrival, equalStamps, rescue, denial, lateChildren, sealing, sameness
    case hiddenKeys, hiddenReferences, staying, yieldingDefaults, mutualPairs, circles, hiddenLinks
    case judgedKeys
    case foldedImports, ownFolds, rowsFirst, looseReferences
    case allBaselines, readBeforeRemoval, keptOutbox, chains
    case migrations, orderNumbers

    /// What the rules themselves leave out; the others are left out by peers, or by their exchange.
    package var omitted: OmittedRules {
        switch self {
        case .lastArrival, .equalStamps, .foldedImports, .ownFolds, .rowsFirst, .looseReferences,
            .allBaselines, .readBeforeRemoval, .keptOutbox, .chains, .migrations, .orderNumbers:
            []
        case .risingStamps: .risingStamps
        case .rescue: .rescue
        case .denial: .denial
        case .lateChildren: .lateChildren
        case .sealing: .sealing
        case .sameness: .sameness
        case .hiddenKeys: .hiddenKeys
        case .hiddenReferences: .hiddenReferences
        case .staying: .staying
        case .yieldingDefaults: .yieldingDefaults
        case .mutualPairs: .mutualPairs
        case .circles: .circles
        case .hiddenLinks: .hiddenLinks
        case .judgedKeys: .judgedKeys
        }
    }

    /// What exchanges leave out.
    var omittedOfExchange: OmittedExchangeRules {
        switch self {
        case .allBaselines: .allBaselines
        case .readBeforeRemoval: .readBeforeRemoval
        case .keptOutbox: .keptOutbox
        case .chains: .chains
        default: []
        }
    }

    /// Whether only peers that exchange objects of a container can notice.
    package var isOfContainer: Bool {
        switch self {
        case .equalStamps, .rowsFirst, .looseReferences, .allBaselines, .readBeforeRemoval, .keptOutbox,
            .chains:
            true
        default: false
        }
    }

    /// What is wrong, in a line.
    package var summary: String {
        switch self {
        case .risingStamps: "a stamp need not be above what it overwrites"
        case .lastArrival: "the last register to arrive wins"
        case .equalStamps: "of equal stamps the first to arrive wins"
        case .rescue: "what was moved out of something deleted dies"
        case .denial: "no edit denies a deletion"
        case .lateChildren: "what was put into something deleted is seen"
        case .sealing: "an edit makes nothing one"
        case .sameness: "what was made one is not one"
        case .hiddenKeys: "hidden keys join what is edited"
        case .hiddenReferences: "hidden references keep what is deleted"
        case .staying: "what is seen may vanish by an edit of another"
        case .yieldingDefaults: "a default erases what a user set"
        case .mutualPairs: "one end of a one-to-one suffices"
        case .circles: "circles are not cut"
        case .hiddenLinks: "a circle's hidden link comes up"
        case .judgedKeys: "an edit of a key is seen at its own object alone"
        case .foldedImports: "what others wrote is taken before own saves are folded"
        case .ownFolds: "a fold takes imports for saves"
        case .rowsFirst: "a crash between vector and rows loses what was read"
        case .looseReferences: "baselines leave out references that no row shows"
        case .allBaselines: "of several baselines only the newest is read"
        case .readBeforeRemoval: "objects go before anybody has read what stands for them"
        case .keptOutbox: "own logs are let go of once they are put"
        case .chains: "two chains under one id are taken for one"
        case .migrations: "what a migration computes is stamped as an edit of now"
        case .orderNumbers: "who comes into an order moves all that are in it"
        }
    }
}
