/// How a dump is written.
package enum DumpFormat: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case json
    /// A line of names, then one line an object, as RFC 4180 has it but for the ends of lines.
    case csv
    /// One document with an element for each object.
    case xml
    /// Statements that make a table for each entity and fill it, in one transaction.
    case sql
}
