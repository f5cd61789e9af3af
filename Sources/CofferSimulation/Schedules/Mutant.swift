package import CofferMerge

/// A rule left out: a simulation that does not notice has not tested it.
package enum Mutant: String, CaseIterable, Sendable {
    case risingStamps, lastArrival, equalStamps, rescue, denial, lateChildren, sealing, sameness
    case hiddenKeys, hiddenReferences, staying, yieldingDefaults, mutualPairs, circles, hiddenLinks

    /// What the rules themselves leave out; the two of joining are the peers'.
    package var omitted: OmittedRules {
        switch self {
        case .lastArrival, .equalStamps: []
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
        }
    }

    /// What is wrong, in a line.
    package var summary: String {
        switch self {
        case .risingStamps: "a stamp need not be above what it overwrites"
        case .lastArrival: "the last register to arrive wins"
        case .equalStamps: "of equal stamps the first to arrive wins"
        case .rescue: "what was moved out of something deleted dies"
        case .denial: "nobody denies a deletion"
        case .lateChildren: "what was put into something deleted is seen"
        case .sealing: "an edit makes nothing one"
        case .sameness: "what was made one is not one"
        case .hiddenKeys: "keys that nobody sees join what is edited"
        case .hiddenReferences: "references that nobody sees keep what is deleted"
        case .staying: "what is seen may vanish by an edit of another"
        case .yieldingDefaults: "what nobody set erases what somebody did"
        case .mutualPairs: "one end of a one-to-one suffices"
        case .circles: "circles are not cut"
        case .hiddenLinks: "a circle's hidden link comes up"
        }
    }
}
