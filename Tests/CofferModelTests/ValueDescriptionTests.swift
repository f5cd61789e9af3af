import CofferModel
import Testing

@Suite struct ValueDescriptionTests {
    @Test func `a value shows its case, and of many bytes the first and how many there are`() {
        #expect("\(AttributeValue.integer(-3))" == "integer(-3)")
        #expect("\(AttributeValue.string("a\"b"))" == #"string("a\"b")"#)
        #expect("\(AttributeValue.binary([1, 2]))" == "binary([1, 2])")
        let large = AttributeValue.transformable([UInt8](repeating: 7, count: 200_000))
        let shown = Array(repeating: "7", count: 16).joined(separator: ", ")
        let text = "transformable(200000 bytes: [\(shown), …])"
        #expect("\(large)" == text)
        #expect("\(["data": large])" == #"["data": \#(text)]"#)
    }
}
