import CofferLinux
package import Logging

/// Writes one line an entry to standard error; with the journal's level marks if the journal reads it.
package struct StandardErrorLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    // Never closed: it belongs to the process.
    private static let standardError = OwnedDescriptor(owning: 2)
    private let label: String
    private let shared: LogLevel
    private let isJournal: Bool

    /// A log whose level `level` holds.
    package init(label: String, level: LogLevel, isJournal: Bool) {
        self.label = label
        shared = level
        self.isJournal = isJournal
    }

    package var logLevel: Logger.Level {
        get { shared.level }
        set { shared.set(newValue) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = isJournal ? "<\(Self.priority(event.level))>" : "\(label) \(event.level): "
        line += "\(event.message)"
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        if !all.isEmpty {
            line += " ("
            line += all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
            line += ")"
        }
        // If standard error is closed, no log is wanted.
        try? Self.standardError.writeAll(Array((Self.oneLine(line) + "\n").utf8))
    }

    /// A text without what begins another line, or moves a terminal's cursor: clients choose what is logged
    /// of them.
    package static func oneLine(_ text: String) -> String {
        func isShown(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: false
            default: true
            }
        }
        if text.unicodeScalars.allSatisfy(isShown) { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            if isShown(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                line += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    /// The priority of syslog, which the journal reads in front of a line.
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
