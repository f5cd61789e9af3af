import CofferModel
import TestSupport
import Testing

@Suite struct TextTests {
    @Test(arguments: [
        ("Straße", "STRASSE", false), ("ÀÉ", "àé", true), ("e\u{301}", "é", true), ("ΣΑΣ", "σας", true),
        ("İ", "i", false),
        ("ABC[", "abc{", false),
    ])
    func `case folds by Unicode`(left: String, right: String, areAlike: Bool) {
        let folded = [left, right].map { TextFolding.fold($0, options: .caseInsensitive) }
        #expect((Array(folded[0].utf8) == Array(folded[1].utf8)) == areAlike)
        #expect(TextFolding.fold(utf8: Array(left.utf8), options: .caseInsensitive) == Array(folded[0].utf8))
    }

    @Test func `marks are dropped and strokes stay`() {
        #expect(TextFolding.fold("Café Ệ ø", options: .diacriticInsensitive) == "Cafe E ø")
        #expect(TextFolding.fold("Café", options: [.caseInsensitive, .diacriticInsensitive]) == "cafe")
        #expect(Array(TextFolding.fold("Café", options: .normalized).utf8) == Array("Café".utf8))
    }

    @Test(arguments: Seed.several(1))
    func `a needle is found where it is`(seed: Seed) {
        var random = seed.generator()
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 1...2, using: &random)
            }
            let needle = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                UInt8.random(in: 1...2, using: &random)
            }
            let expected = needle.isEmpty || text.indices.contains { text[$0...].starts(with: needle) }
            #expect(TextFolding.contains(text, needle) == expected, "\(text) \(needle)")
        }
    }

    @Test(arguments: [
        ("abc", "a.c", true), ("abcd", "abc", false), ("a\nc", "a.c", false), ("", "", true),
        ("aaa", "a*", true),
        ("", "a+", false), ("ab", "a?b?", true), ("aaaa", "a{2,3}", false), ("aaa", "a{2,3}", true),
        ("aaaa", "a{2,}", true),
        ("aa", "a{2}", true), ("cat", "cat|dog|bird", true), ("bird", "cat|dog|bird", true),
        ("cow", "cat|dog|bird", false),
        ("catdog", "(cat|dog)+", true), ("2024-01-31", "\\d{4}-\\d\\d-\\d\\d", true), ("é", "[à-ü]", true),
        ("x", "[^a-c]", true),
        ("a]", "[a\\]]+", true), ("-", "[a-]", true), ("foo bar", "\\w+\\s\\w+", true),
        ("foo bar", "foo\\b.*", true),
        ("foobar", "foo\\b.*", false), ("É", "\\p{Lu}", true), ("1", "\\P{L}", true),
        ("user@host.org", "[A-Za-z0-9._]+@[a-z]+\\.[a-z]{2,}", true),
        ("ABC", "(?i)abc", true), ("é", "\\u00e9", true), ("a", "(?:a|b)", true), ("abab", "(ab)*?", true),
        ("ac", "a(b|)c", true),
        ("abc", "^abc$", true), ("[", "\\[", true),
    ])
    func `a regular expression matches whole texts`(text: String, pattern: String, expected: Bool) throws {
        #expect(try RegularExpression(pattern).matches(text) == expected)
    }

    /// Source of what is expected: the answers of ICU 72 without options.
    @Test(arguments: [
        ("a\n", "a$\\n", true), ("a\n", "a$", false), ("a\r\n", "a$\r\n", true), ("a\r\n", "a\r$\n", false),
        ("a\n\n", "a$\\n\\n", false), ("a\n", "a\\Z\\n", true), ("a\n", "a\\z\\n", false),
        ("a\nb", "a\\n^b", false), ("a\nb", "(?m)a$\\n^b", true), ("a\nb", "a(?m:$\\n^)b", true),
        ("a\r\nb", "(?m)a$\\r\\n^b", true), ("\n", "(?m)\\n^", false),
        ("\u{b}", ".", false), ("\u{c}", ".", false), ("\u{85}", ".", false), ("\u{2028}", ".", false),
        ("a\nb", "(?s)a.b", true), ("\r\n", "(?s).", true), ("\r\n", "(?s)..", false),
        ("\n\r", "(?s)..", true),
        ("a\nb", "(?s)a(?-s).b", false), ("\r\n", "\\R", true), ("\r\n", "\\R\\R", false),
        ("\t", "\\h", true), ("\u{b}", "\\v", true), ("a\u{200d}", "\\w+", true),
    ])
    func `a regular expression ends lines as ICU does`(text: String, pattern: String, expected: Bool) throws {
        #expect(try RegularExpression(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        ("AB", "a(?i)b", false), ("aB", "a(?i)b", true), ("C", "a(?i)b|c", true), ("AB", "(?i:a)b", false),
        ("aB", "((?i)a)b", false), ("Ab", "((?i)a)b", true), ("A", "(?i)(?-i)a", false),
        ("K", "(?i)[\u{212a}]", true),
        ("STRASSE", "(?i)straße", true), ("ß", "(?i)ss", true), ("ß", "(?i)s{2}", false),
        ("ı", "(?i)i", false),
        ("a", "(?i)\\p{Lu}", true), ("A", "(?i)[^a]", false), ("ab", "(?x) a b # c\n", true),
        ("a b", "(?x)a\\ b", true), (" ", "(?x)[a b]", false), ("a*", "\\Qa*\\E", true),
        ("a", "(?<name>a)", true),
        ("b", "[a-z&&[b]]", true), ("b", "[a-z--[b]]", false), ("-", "[\\w-z]", true),
        ("é", "[[:alpha:]]", true),
        ("1", "[[:^alpha:]]", true), ("A", "\\x{41}", true), ("é", "\\é", true), ("a", "(?#why)a", true),
    ])
    func `flags, classes and escapes mean what they mean to ICU`(
        text: String, pattern: String, expected: Bool
    ) throws {
        #expect(try RegularExpression(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        ("a*+", "possessive"), ("a++b", "possessive"), ("(?>a)", "never give back"), ("(?=a)", "look-ahead"),
        ("(?<!a)b", "look-behind"), ("(a)\\1", "back references"), ("(?w)a", "'w'"), ("\\X", "\\X"),
        ("\\p{Lx}", "'Lx'"), ("[a-z-[b]]", "'-['"), ("a}", "'}'"),
    ])
    func `what an expression must not have is named`(pattern: String, reason: String) {
        let error = failure { () throws(QueryError) in _ = try RegularExpression(pattern) }
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
    }

    @Test(arguments: [
        "(", ")", "[a", "a**", "*a", "a{3,2}", "a{", "\\", "(?=a)", "(a)\\1", "[b-a]", "\\q", "\\p{Foo}",
        "a{4000}{2}", "(a{1000}){1000}", "[[:alpho:]]+", "[a-z--]", "[&&a]", "(?i)*", "\\b*", "(?i", "(?#",
    ])
    func `what cannot be read or is not supported is refused`(pattern: String) {
        #expect(failure { () throws(QueryError) in _ = try RegularExpression(pattern) } != nil)
    }

    @Test
    func `patterns that make others backtrack take no time`() throws {
        let text = String(repeating: "a", count: 2_000) + "!"
        #expect(try !RegularExpression("(a+)+$").matches(text))
        #expect(try !RegularExpression("(a|aa)*b").matches(text))
        #expect(try !LikePattern(String(repeating: "*a", count: 500) + "b").matches(text))
    }

    @Test func `an expression that is folded finds letters as they are composed`() throws {
        for text in ["Café", "Cafe\u{301}"] {
            for pattern in ["cafe\u{301}", "café", "CAF\u{c9}", "c.*e\u{301}"] {
                let expression = try RegularExpression(pattern, options: .caseInsensitive)
                #expect(expression.matches(text), "\(pattern) \(text)")
            }
        }
    }

    @Test func `a letter stays one when it is folded`() throws {
        let (c, cd): (QueryComparison.Options, QueryComparison.Options) = (
            .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]
        )
        for (text, `operator`, part, options, expected) in [
            ("Café", .beginsWith, "cafe", c, false), ("Café", .beginsWith, "cafe", cd, true),
            ("Café", .beginsWith, "CAFE\u{301}", c, true), ("Café", .endsWith, "\u{301}", c, false),
            ("é", .contains, "e", c, false), ("각", .contains, "가", cd, false),
            ("가각", .contains, "각", cd, true),
        ] as [(String, QueryComparison.Operator, String, QueryComparison.Options, Bool)] {
            #expect(
                TextFolding.holds(text, `operator`, part, options: options) == expected, "\(text) \(part)")
        }
        #expect(try LikePattern("caf?", options: c).matches("Café"))
        #expect(try !LikePattern("cafe*", options: c).matches("Café"))
        for pattern in ["caf.", "caf[à-ü]", "\\p{L}+", "(?i)CAFÉ"] {
            #expect(try RegularExpression(pattern, options: c).matches("Café"), "\(pattern)")
        }
    }

    @Test func `patterns fold with their texts`() throws {
        let both: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]
        #expect(try RegularExpression("CAFÉ [À-Ü]", options: both).matches("café é"))
        #expect(try LikePattern("c?f*", options: both).matches("CÁFÉ"))
    }
}
