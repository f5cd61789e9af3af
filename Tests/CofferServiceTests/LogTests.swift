import CofferService
import Testing

@Test(arguments: [
    ("a (b=c)", "a (b=c)"), ("Ünïcode 각 👩‍👩", "Ünïcode 각 👩\\u{200d}👩"), ("x\n<2>y", "x\\u{a}<2>y"),
    ("\u{1B}[2J\r", "\\u{1b}[2J\\u{d}"), ("\u{2028}\u{85}", "\\u{2028}\\u{85}"),
])
func `what clients say is one line of the log`(text: String, line: String) {
    #expect(StandardErrorLog.oneLine(text) == line)
}
