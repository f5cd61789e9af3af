import CofferWire
import Testing

@Suite struct ClippedTextTests {
    @Test func `the text of an error is cut between two characters and says so`() {
        #expect("short".clipped(toBytes: 5) == "short")
        #expect("longer".clipped(toBytes: 5) == "lo…")
        #expect("ééé".clipped(toBytes: 5) == "é…", "no half of a character")
        let detail = ErrorDetailMessage(
            code: .invalidArgument, reason: "r", text: String(repeating: "ü", count: 1 << 20),
            place: String(repeating: "x", count: 1 << 20))
        #expect(detail.text.utf8.count <= 8 << 10 && detail.text.hasSuffix("ü…"))
        #expect(detail.place.utf8.count <= 4 << 10)
    }
}
