/// What comparisons with null mean, in memory and in SQL alike.
///
/// There are two truth values: a comparison holds or it does not, and `NOT` turns one into the other. So
///
/// - `x == nil` holds if `x` is null, `x != nil` if it is not; two nulls are equal (SQL: `IS`).
/// - `x == 5` does not hold for null, and `x != 5` does (SQL: `IS NOT`).
/// - `<`, `<=`, `>`, `>=`, `BETWEEN` and the text operators do not hold if either side is null (SQL: in
///   places where `NOT` or a result can see it, `IFNULL(…, 0)`).
/// - `x IN {…}` and `{…} CONTAINS x` hold if some member is equal to `x` by the rule above, so null is in
///   `{nil}` only.
/// - A key path through a to-one relationship that is null gives null (SQL: `LEFT JOIN`).
/// - A key path through a to-many relationship gives no value if an object on the way does not exist (SQL:
///   `JOIN`), and null if only the last property of an object is null. Over no values `ANY` is false (SQL:
///   `EXISTS`), `NONE` is true (SQL: `NOT EXISTS`), and so is `ALL` (SQL: `NOT EXISTS (… NOT …)`).
/// - Arithmetic and functions with null give null; dividing by zero does too (as SQLite has it). `@count` and
///   `@sum` of nothing are 0; `@min`, `@max` and `@avg` of nothing are null, and all of these leave nulls
///   out.
package enum NullSemantics {
    /// What an operator answers if at least one side is null.
    package static func holds(
        _ operator: QueryComparison.Operator, leftIsNull: Bool, rightIsNull: Bool
    ) -> Bool {
        switch `operator` {
        case .equal: leftIsNull && rightIsNull
        case .notEqual: leftIsNull != rightIsNull
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in, .contains, .beginsWith, .endsWith,
            .like, .matches:
            false
        }
    }
}
