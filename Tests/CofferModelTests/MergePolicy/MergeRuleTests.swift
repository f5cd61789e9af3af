import CofferModel
import Testing

/// One row of the table: how the three values compare, and what each rule makes of the property.
private struct Row: CustomTestStringConvertible {
    var old: Int?
    var stored: Int?
    var wanted: Int
    var situation: MergeSituation

    var testDescription: String { "\(old ?? -1) \(stored ?? -1) \(wanted)" }
}

/// All ways in which three values can agree, and those in which one is not known.
private let rows = [
    Row(old: 1, stored: 1, wanted: 1, situation: .agreed),
    Row(old: 1, stored: 1, wanted: 2, situation: .unchanged),
    Row(old: 1, stored: 2, wanted: 2, situation: .agreed),
    Row(old: 1, stored: 2, wanted: 1, situation: .contested),
    Row(old: 1, stored: 2, wanted: 3, situation: .contested),
    Row(old: nil, stored: 2, wanted: 2, situation: .agreed),
    Row(old: nil, stored: 2, wanted: 3, situation: .contested),
    Row(old: 1, stored: nil, wanted: 1, situation: .contested),
    Row(old: 1, stored: nil, wanted: 2, situation: .contested),
    Row(old: nil, stored: nil, wanted: 2, situation: .contested),
]

@Test(arguments: rows)
private func `three values are compared in one way`(row: Row) {
    #expect(MergeSituation(old: row.old, stored: row.stored, wanted: row.wanted) == row.situation)
}

@Test(arguments: MergeRule.allCases)
func `what nobody else has changed is written under every rule`(rule: MergeRule) {
    #expect(rule.decide(.unchanged) == .wanted)
    #expect(rule.decide(.agreed) == .wanted)
    #expect(rule.decide(.unchanged, in: .unchanged) == .wanted)
    #expect(rule.decide(.agreed, in: .unchanged) == .wanted)
}

@Test(arguments: [
    (MergeRule.error, MergeDecision.conflict), (.storeTrump, .stored), (.objectTrump, .wanted),
    (.overwrite, .wanted), (.rollback, .stored),
])
func `each rule has its own answer to a contested object`(rule: MergeRule, decision: MergeDecision) {
    #expect(rule.decide(.contested) == decision)
    #expect(rule.decide(.contested, in: .contested) == decision)
}

/// The whole table: every rule, every way in which the values compare, in objects that are contested and in
/// those that are not.
@Test(arguments: MergeRule.allCases, MergeSituation.allCases)
private func `a property follows its own situation or that of its object`(
    rule: MergeRule, object: MergeSituation
) {
    for row in rows {
        let decision = rule.decide(old: row.old, stored: row.stored, wanted: row.wanted, in: object)
        let expected: MergeDecision =
            switch (rule, object, row.situation) {
            case (.error, .contested, _): .conflict
            case (.rollback, .contested, _): .stored
            case (.storeTrump, _, .contested): .stored
            case (.error, _, _), (.rollback, _, _), (.storeTrump, _, _): .wanted
            case (.objectTrump, _, _), (.overwrite, _, _): .wanted
            }
        #expect(decision == expected, "\(row.testDescription)")
    }
}

@Test func `two rules concern more of a contested object than what the client changed`() {
    #expect(MergeRule.allCases.filter(\.writesWholeObjects) == [.overwrite])
    #expect(MergeRule.allCases.filter(\.keepsWholeObjects) == [.rollback])
}
