import CofferModel
import Testing

@Suite struct `Texts as values` {
    /// Letters that look alike to people, in other bytes.
    private static let (short, long) = ("\u{E5}", "a\u{30A}")

    @Test func `texts are equal as values where their bytes are`() {
        let (short, long) = (Self.short, Self.long)
        #expect(short == long, "Swift takes them for the same")
        for make in [AttributeValue.string, AttributeValue.uri] {
            #expect(make(short) != make(long))
            #expect(make(short) == make(short))
            #expect(Set([make(short), make(long), make(short)]).count == 2)
        }
        // As many bytes, in another order.
        #expect(AttributeValue.string("a\u{301}\u{323}") != .string("a\u{323}\u{301}"))
        #expect(AttributeValue.string("a") != .uri("a"))
        #expect(QueryPredicate.compare("x", .equal, short) != QueryPredicate.compare("x", .equal, long))
        let names: [AttributeValue: Int] = [.string(short): 1, .string(long): 2]
        #expect(names[.string(long)] == 2)
    }
}
