import CofferModel
import FoundationEssentials
import Testing

@Suite struct PredicateFormatTests {
    /// What a format is written as once it has been read.
    private func canonical(_ format: String, _ arguments: any QueryArgument...) throws -> String {
        try QueryPredicate(format: format, arguments: arguments).format
    }

    /// Why a format cannot be read.
    private func failure(_ format: String, _ arguments: any QueryArgument...) -> QueryError? {
        do throws(QueryError) {
            _ = try QueryPredicate(format: format, arguments: arguments)
            return nil
        } catch { return error }
    }

    // P31: what is written means what was read; P35: TRUEPREDICATE and FALSEPREDICATE; P37: nothing is
    // flattened.
    @Test(arguments: [
        ("a = 1", "a == 1"), ("a<>1", "a != 1"), ("a =< 1", "a <= 1"), ("a => 1", "a >= 1"),
        ("a < 1", "a < 1"), ("a <= 1", "a <= 1"), ("a > 1", "a > 1"), ("a >= 1", "a >= 1"),
        ("a != 1", "a != 1"),
        ("self beginswith 'aaa'", "SELF BEGINSWITH \"aaa\""),
        ("name contains [CD] 'y'", "name CONTAINS[cd] \"y\""),
        ("name ==[c] 'ada'", "name ==[c] \"ada\""),
        ("a BETWEEN {1, 5}", "a BETWEEN {1, 5}"),
        ("NOT (name == 'Bob') && name endswith 'ce'", "NOT name == \"Bob\" AND name ENDSWITH \"ce\""),
        ("!(a = 1 or b = 2)", "NOT (a == 1 OR b == 2)"),
        ("truepredicate", "TRUEPREDICATE"), ("FalsePredicate", "FALSEPREDICATE"),
        ("SUBQUERY(friends, $f, $f.age > 40).@count > 1", "SUBQUERY(friends, $f, $f.age > 40).@count > 1"),
        ("SUBQUERY(g, $v, NOT ($v == 2)).@count == 0", "SUBQUERY(g, $v, NOT $v == 2).@count == 0"),
        (
            "TERNARY(f == YES AND YES == YES, YES, NO) == NO",
            "TERNARY(f == YES AND YES == YES, YES, NO) == NO"
        ),
        ("4 + 5 - 2**3 == 1", "(4 + 5) - (2 ** 3) == 1"),
        ("a.b.@count == 3", "a.b.@count == 3"),
        ("folder.notes.@sum.size > 2.5", "folder.notes.@sum.size > 2.5"),
        ("some a.b == nil", "ANY a.b == nil"), ("NONE a.b.c == null", "NONE a.b.c == nil"),
        ("#in.#like == 0x1F", "#in.like == 31"), ("x == 0b101 OR x == 0o17", "x == 5 OR x == 15"),
        ("x == -9223372036854775808", "x == -9223372036854775808"), ("x == 1e3", "x == 1000.0"),
        ("x == .5", "x == 0.5"),
        ("-x == 1", "0 - x == 1"), ("a[0] == b[LAST]", "a[0] == last:(b)"),
        ("a[SIZE] == 1", "count:(a) == 1"),
        ("sum({1,2,3}) == 6", "sum:({1, 2, 3}) == 6"), ("now() > a", "now() > a"),
        ("a == 'x\\n\\t\\'\\\"\\\\\\101\\x42\\u0043\\ud83d\\ude00'", "a == \"x\\n\\t'\\\"\\\\ABC😀\""),
        ("a LIKE 'a\\*b'", "a LIKE \"a\\\\*b\""), ("a == \"%@\"", "a == \"%@\""),
        (
            "((X == 10 AND V == 11) AND (Y == 30 OR W == 5)) OR (Z == 20 OR (K == 40 AND C == 11))",
            "((X == 10 AND V == 11) AND (Y == 30 OR W == 5)) OR (Z == 20 OR (K == 40 AND C == 11))"
        ),
        ("a = 1 and b = 2 and c = 3 or d = 4", "(a == 1 AND b == 2 AND c == 3) OR d == 4"),
    ])
    func `a format is read and written canonically`(format: String, expected: String) throws {
        #expect(try canonical(format) == expected)
        #expect(try canonical(expected) == expected)
    }

    @Test func `placeholders take arguments of their kinds`() throws {
        #expect(try canonical("%K == %@ AND %K > %d", "a.b", "x", "c", 5) == "a.b == \"x\" AND c > 5")
        #expect(try canonical("%f > %K", 40.5, "Record1.Age") == "40.5 > Record1.Age")
        #expect(
            try canonical("x == %lld OR x == %lu OR x == %x OR x == %c", 1, 2 as UInt, 255, "z")
                == "x == 1 OR x == 2 OR x == 255 OR x == \"z\"")
        #expect(try canonical("x IN %@", [1, 9]) == "x IN {1, 9}")
        #expect(try canonical("x == %@", [1, 9] as [UInt8]) == "x == CAST(\"0109\", \"NSData\")")
        #expect(try canonical("x == %@", String?.none) == "x == nil")
        #expect(try canonical("x IN %@", Set([1])) == "x IN {1}")
        #expect(
            try canonical("x == %@", Decimal(string: "1.50") ?? 0)
                == "x == CAST(\"1.5\", \"NSDecimalNumber\")")
        #expect(try canonical("%K.%K == %@", "a", "b", true) == "a.b == YES")
        #expect(try canonical("x %% 2 == 1") == "modulus:by:(x, 2) == 1")
    }

    @Test(
        arguments: [
            (-1.5, "-1.5"), (.infinity, "CAST(\"inf\", \"Double\")"),
            (-.infinity, "CAST(\"-inf\", \"Double\")"),
            (.nan, "CAST(\"nan\", \"Double\")"),
        ] as [(Double, String)])
    func `a date is written with its seconds, also where these are not a number`(
        seconds: Double, text: String
    ) throws {
        let format = try canonical("x == %@", Date(timeIntervalSinceReferenceDate: seconds))
        #expect(format == "x == CAST(\(text), \"NSDate\")")
        #expect(try canonical(format) == format)
    }

    @Test func `P18: a variable is filled and its neighbour left`() throws {
        let read = try QueryPredicate(format: "%K like %@+$b+$c", "$single", "b\"")
        #expect(read.format == "$single LIKE (\"b\\\"\" + $b) + $c")
        let filled = read.substituting(["b": .string("x"), "c": .integer(1)])
        #expect(filled.format == "$single LIKE (\"b\\\"\" + \"x\") + 1")
    }

    @Test func `the variable of a subquery is its own`() throws {
        let read = try QueryPredicate(format: "SUBQUERY($x, $x, $x.a == $y).@count > $x")
        let filled = read.substituting(["x": .integer(1), "y": .integer(2)])
        #expect(filled.format == "SUBQUERY(1, $x, $x.a == 2).@count > 1")
    }

    @Test(arguments: [
        ("name = ", 7), ("name", 4), ("(a == 1", 7), ("a == 1)", 6), ("a == 'x", 5), ("a BETWEEN {1}", 10),
        ("é == 1 AND &", 11),
        ("a == foo(1)", 5), ("a == sum()", 5), ("a =[x] 1", 4), ("a == 1 == 1", 7),
        ("a == 99999999999999999999", 5), ("in == 1", 0),
        ("a == 12x", 7), ("(a == 1) + 2 == 3", 1), ("a == %y", 5), ("a == $", 6), ("", 0), ("a ==== 1", 4),
        ("{1}.y == 1", 3),
        ("a == '\\ud800'", 6), ("SUBQUERY(a, b, c == 1).@count > 1", 12),
    ])
    func `an error names the place`(format: String, offset: Int) {
        let error = failure(format)
        guard case .unexpected(let place, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.offset == offset, "\(String(describing: error))")
    }

    @Test func `an error shows the format with a caret`() {
        let error = failure("name = AND")
        #expect(
            error?.description
                == "Expected a value or key path (write #AND for a key of that name):\nname = AND\n       ^")
    }

    @Test func `missing, surplus and wrong arguments are refused`() {
        #expect(
            failure("a == %@")
                == .argument(
                    at: FormatPlace(format: "a == %@", offset: 5), expected: "a value, and is missing"))
        #expect(failure("a == 1", 2) == .surplusArguments(format: "a == 1", placeholders: 0, arguments: 1))
        #expect(failure("a == %d", "x") != nil)
        #expect(failure("%K == 1", 5) != nil)
        #expect(failure("%K == 1", "a..b") != nil)
    }
}
