import CofferDBus
import TestSupport
import Testing

struct NameTests {
    @Test func `labels are escaped as systemd does`() {
        #expect(DBusPath.escape("") == "_")
        #expect(DBusPath.escape("_") == "_5f")
        #expect(DBusPath.escape("foo.bar") == "foo_2ebar")
        #expect(DBusPath.escape("1ab2") == "_31ab2")
        #expect(DBusPath.escape("\u{E9}") == "_c3_a9")
        #expect(DBusPath.unescape("") == nil)
        #expect(DBusPath.unescape("a_") == nil)
        #expect(DBusPath.unescape("a_2E") == nil)
        #expect(DBusPath.unescape("_61") == nil, "escape writes 'a' as itself")
        #expect(DBusPath.unescape("_ff") == nil, "no UTF-8")
    }

    @Test(arguments: Seed.several(64))
    func `every text comes back from its label`(seed: Seed) throws {
        var random = seed.generator()
        for _ in 0..<50 {
            let scalars = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                Unicode.Scalar(
                    UInt32.random(in: 0..<0xD800, using: &random) >> UInt32.random(in: 0..<10, using: &random)
                )
            }
            let text = String(String.UnicodeScalarView(scalars.compactMap(\.self)))
            let label = DBusPath.escape(text)
            let back = try #require(DBusPath.unescape(label), "seed \(seed)")
            #expect(back.utf8.elementsEqual(text.utf8), "seed \(seed)")
            let path = DBusPath.path("/org/coffer", text, "x")
            #expect(DBusPath.isValid(path), "seed \(seed)")
            #expect(DBusPath.labels(of: path, below: "/org/coffer")?.last == "x", "seed \(seed)")
        }
    }

    @Test func `names are judged by the specification`() {
        for name in ["org.coffer.Storage1", "a.b-c", "_a._b", ":1.5", ":x.0"] {
            #expect(DBusName.isBusName(name))
        }
        for name in ["", "a", "a.", ".a", "a..b", "a.1b", "a b.c", ":", ":1", "a.\u{E9}"] {
            #expect(!DBusName.isBusName(name), "\(name)")
        }
        #expect(!DBusName.isWellKnownName(":1.5"))
        #expect(!DBusName.isInterface("a.b-c"))
        #expect(DBusName.isMember("Get_1"))
        #expect(!DBusName.isMember("1Get"))
        #expect(!DBusName.isMember(""))
        #expect(!DBusName.isInterface("a." + String(repeating: "b", count: 254)))
        for path in ["", "a", "//", "/a/", "/a//b", "/a-b"] { #expect(!DBusPath.isValid(path), "\(path)") }
        #expect(DBusPath.isValid("/"))
    }

    @Test func `signatures are judged by the specification`() throws {
        #expect(try DBusSignature.types(in: "ya{sv}(ia(s))aay") == ["y", "a{sv}", "(ia(s))", "aay"])
        for signature in [
            "a", "(", "()", ")", "{sv}", "a{vs}", "a{s}", "a{svv}", "z", "(i", "a{sv", "e", "r",
        ] {
            #expect(!DBusSignature.isValid(signature), "\(signature)")
        }
        #expect(DBusSignature.isValid(""))
        #expect(!DBusSignature.isSingleType(""))
        #expect(!DBusSignature.isSingleType("ii"))
        #expect(DBusSignature.isValid(String(repeating: "a", count: 32) + "i"))
        #expect(!DBusSignature.isValid(String(repeating: "a", count: 33) + "i"))
        #expect(!DBusSignature.isValid(String(repeating: "i", count: 256)))
    }

    @Test func `a match rule quotes its values`() {
        let rule = DBusMatch(interface: "a.b", firstArgument: "it's")
        #expect(rule.text == #"type='signal',interface='a.b',arg0='it'\''s'"#)
    }
}
