import CofferDBus
import CofferService
import Testing

@Suite struct NameWatchTests {
    @Test func `callers beyond the limit have one rule together, which goes with the last of them`() {
        var matches = NameWatch(limit: 2)
        #expect(matches.add(":1.1") == .nameOwnerChanged(":1.1"))
        #expect(matches.add(":1.2") == .nameOwnerChanged(":1.2"))
        #expect(matches.add(":1.3") == .nameVanished)
        #expect(matches.add(":1.4") == nil)
        #expect(matches.remove(":1.9") == nil, "a caller that is not watched has no match rule")
        #expect(matches.remove(":1.1") == .nameOwnerChanged(":1.1"))
        #expect(matches.add(":1.5") == .nameOwnerChanged(":1.5"), "its place is free")
        #expect(matches.remove(":1.3") == nil, "another one needs it")
        #expect(matches.remove(":1.4") == .nameVanished)
        #expect(matches.add(":1.6") == .nameVanished)
        #expect(DBusMatch.nameVanished.text.hasSuffix("arg2=''"))
    }

    @Test func `a rule that the bus refuses was for all callers that rely on it`() {
        var matches = NameWatch(limit: 1)
        let own = matches.add(":1.1")
        let together = matches.add(":1.2")
        #expect(matches.add(":1.3") == nil)
        #expect(own.map { matches.refused($0, for: ":1.1") } == [":1.1"])
        #expect(together.map { matches.refused($0, for: ":1.2") } == [":1.2", ":1.3"])
        #expect(matches.remove(":1.3") == nil)
    }
}
