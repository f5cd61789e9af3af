import FoundationEssentials

/// What the summary needs to know of an event.
struct TraceLine: Decodable {
    struct Arguments: Decodable {
        var label: String?
        var rows: Int?
        var count: Int?
    }

    var name: String
    var cat: String?
    var ph: String
    var dur: Double?
    var args: Arguments?

    /// An event of a line; `nil` if the line is not an event.
    static func parse(_ line: some StringProtocol, _ decoder: JSONDecoder) -> TraceLine? {
        // What a process writes that was told to write events may be anything.
        try? decoder.decode(TraceLine.self, from: Data(line.utf8))
    }
}

/// What happened in a trace, by what was done and the label of the place that asked for it.
struct TraceSummary {
    struct Key: Hashable {
        var label: String
        var side: String
        var name: String
    }

    struct Entry {
        var count = 0
        var milliseconds = 0.0
        var longest = 0.0
        var rows = 0
    }

    /// Longest time that an event is taken to have: a year, in microseconds.
    ///
    /// What a process writes may be any number.
    private static let longest = 366.0 * 86_400 * 1e6
    /// Labels beyond that many are added up in one line.
    static let limit = 10_000
    private(set) var entries: [Key: Entry] = [:]
    /// Events that the service could not tell in time.
    private(set) var droppedCount = 0

    /// Counts an event, if it is one that is summed up.
    mutating func add(_ event: TraceLine) {
        if event.name == "dropped" { droppedCount.addCount(event.args?.count ?? 1) }
        guard event.ph == "X" || event.name == "cache miss" else { return }
        var key = Key(label: event.args?.label ?? "", side: event.cat ?? "", name: event.name)
        if entries.count >= Self.limit, entries[key] == nil { key.label = "…" }
        let milliseconds = min(max(0, event.dur ?? 0), Self.longest) / 1_000
        var entry = entries[key] ?? Entry()
        entry.count += 1
        entry.milliseconds += milliseconds
        entry.longest = max(entry.longest, milliseconds)
        entry.rows.addCount(event.args?.rows ?? 0)
        entries[key] = entry
    }

    static let columns = ["label", "side", "what", "count", "milliseconds", "mean", "longest", "rows"]

    /// Lines for people and scripts, the longest in all first.
    var lines: [[OutputValue]] {
        entries.sorted { one, other in
            one.value.milliseconds == other.value.milliseconds
                ? (one.key.label, one.key.name) < (other.key.label, other.key.name)
                : one.value.milliseconds > other.value.milliseconds
        }.map { key, entry in
            [
                .text(key.label), .text(key.side), .text(key.name), .integer(entry.count),
                .number(Self.text(entry.milliseconds)),
                .number(Self.text(entry.milliseconds / Double(max(1, entry.count)))),
                .number(Self.text(entry.longest)), .integer(entry.rows),
            ]
        }
    }

    /// Three digits after the point.
    private static func text(_ milliseconds: Double) -> String {
        let microseconds = Int(exactly: (milliseconds * 1_000).rounded()) ?? .max
        let rest = String(microseconds % 1_000)
        return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}

extension Int {
    /// Adds a count that another program states: nothing if it is negative, and never past the greatest
    /// number.
    mutating func addCount(_ count: Int) {
        let (sum, isTooLarge) = addingReportingOverflow(Swift.max(0, count))
        self = isTooLarge ? .max : sum
    }
}
