/// Rules that a simulation leaves out, to show that this is noticed.
///
/// Nothing else leaves any out; a rule that is not left out costs one test of a bit.
package struct OmittedRules: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A stamp is greater than all that it overwrites.
    package static let risingStamps = OmittedRules(rawValue: 1 << 0)
    /// An edit makes one for ever what was seen as one.
    package static let sealing = OmittedRules(rawValue: 1 << 1)
    /// What was moved out of what is deleted lives.
    package static let rescue = OmittedRules(rawValue: 1 << 2)
    /// What a living one denies to delete lives.
    package static let denial = OmittedRules(rawValue: 1 << 3)
    /// What was put into something deleted goes too.
    package static let lateChildren = OmittedRules(rawValue: 1 << 4)
    /// Records that a register says are the same are one.
    package static let sameness = OmittedRules(rawValue: 1 << 5)
    /// A value that was not chosen yields to one that was.
    package static let yieldingDefaults = OmittedRules(rawValue: 1 << 6)
    /// A pair is seen if both ends say so.
    package static let mutualPairs = OmittedRules(rawValue: 1 << 7)
    /// What was seen and not deleted stays seen.
    package static let staying = OmittedRules(rawValue: 1 << 8)
    /// An edit joins with nothing by a value that is not seen.
    package static let hiddenKeys = OmittedRules(rawValue: 1 << 9)
    /// A reference that is not seen keeps nothing that was deleted.
    package static let hiddenReferences = OmittedRules(rawValue: 1 << 10)
    /// Of a circle the latest link is not seen.
    package static let circles = OmittedRules(rawValue: 1 << 11)
    /// A link that a circle hid, and that would come up, is written as it was seen.
    package static let hiddenLinks = OmittedRules(rawValue: 1 << 12)
    /// With a key all are judged that may share it.
    package static let judgedKeys = OmittedRules(rawValue: 1 << 13)
    /// An attribute that may bring its object back has that judged, in whichever key it is not.
    package static let judgedEdits = OmittedRules(rawValue: 1 << 14)
}
