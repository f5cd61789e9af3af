import CofferLinux
import Testing

@Suite struct CollationTests {
    private func sorted(_ texts: [String], _ rules: Collation.Rules, _ locale: String) throws -> [String] {
        var keyed: [(text: String, key: [UInt8])] = []
        for text in texts {
            keyed.append((text, try #require(Collation.key(text, rules, locale: locale))))
        }
        return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.text)
    }

    @Test(.enabled(if: Collation.version != nil, "the system has no ICU"))
    func `letters with marks stand where the language has them`() throws {
        let words = ["zebra", "Äpfel", "apfel", "Öl", "oz", "z"]
        #expect(try sorted(words, .localized, "de_DE.UTF-8") == ["apfel", "Äpfel", "Öl", "oz", "z", "zebra"])
        #expect(try sorted(words, .localized, "sv_SE") == ["apfel", "oz", "z", "zebra", "Äpfel", "Öl"])
    }

    @Test(.enabled(if: Collation.version != nil, "the system has no ICU"))
    func `case and digits count as the rules say`() throws {
        func same(_ left: String, _ right: String, _ rules: Collation.Rules) -> Bool {
            Collation.key(left, rules, locale: "") == Collation.key(right, rules, locale: "")
        }
        #expect(same("ABC", "abc", .caseInsensitive) && !same("ABC", "abc", .localized))
        #expect(!same("e", "é", .caseInsensitive))
        #expect(same("e\u{301}", "é", .localized))
        let names = ["file 10", "File 9", "file 1"]
        #expect(try sorted(names, .standard, "en") == ["file 1", "File 9", "file 10"])
        #expect(try sorted(names, .localized, "en") == ["file 1", "file 10", "File 9"])
    }

    @Test(.enabled(if: Collation.version != nil, "the system has no ICU"))
    func `long texts have whole keys`() throws {
        for count in [1, 50, 100, 200, 300, 5_000] {
            let text = String(repeating: "x", count: count)
            let keys = try ["a", "b"].map { try #require(Collation.key(text + $0, .standard, locale: "en")) }
            #expect(keys[0].lexicographicallyPrecedes(keys[1]), "\(count)")
            #expect(try #require(Collation.key(text, .standard, locale: "en")).count < keys[0].count)
        }
    }

    @Test func `the environment names the locale, the most special first`() {
        #expect(Collation.locale(of: ["LANG": "de_DE.UTF-8", "LC_ALL": ""]) == "de_DE")
        #expect(Collation.locale(of: ["LANG": "de_DE", "LC_COLLATE": "C.UTF-8"]) == "")
        #expect(Collation.locale(of: [:]) == "")
    }
}
