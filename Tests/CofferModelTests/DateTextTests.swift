import CofferModel
import Testing

@Suite struct `Dates as text` {
    @Test(arguments: ["2026-01-31", "-0044-03-15T12:30", "2026-01-31 12:00:30.25+01:00"])
    func `dates are read from text with every part that they have`(text: String) {
        let date = DateText.date(text)
        #expect(date.flatMap { DateText.date(DateText.text(of: $0)) } == date && date != nil)
    }

    @Test(arguments: [
        "2026-01-31T१२:00", "2026-01-31T12:0٣", "٢٠٢٦-01-31", "2026-01-31T12:00+0१:00",
        "2026-01-31T12:00:00.१Z",
    ])
    func `dates as text have the digits of ASCII only, and are refused with others`(text: String) {
        #expect(DateText.date(text) == nil)
    }
}
