import CofferLinux
package import Logging

/// Writes one line an entry to standard error; with the journal's level marks where the journal reads it.
package struct StandardErrorLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
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
        StandardError.write(line + "\n")
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
