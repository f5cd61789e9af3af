/// The first place where a text stops being JSON, and why.
struct JSONFault: Error, CustomStringConvertible {
    /// Counted from 1, the column in characters of Unicode.
    let line: Int
    let column: Int
    /// A sentence without its full stop.
    let text: String

    var description: String { "line \(line), column \(column): \(text)" }

    init(_ text: String, at offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<min(offset, bytes.count)]
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        self.text = text
    }
}
