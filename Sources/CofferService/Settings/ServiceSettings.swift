import CofferStores
package import Logging

/// What a service is told by its options, by the environment and by a file; `nil` if one of them says
/// nothing.
package struct ServiceSettings: Equatable, Sendable {
    /// The folder that holds all stores.
    package var dataFolder: String?
    /// Seconds that the service may be unused before it exits; 0: it stays.
    package var idleTimeout: Double?
    /// What is logged.
    package var logLevel: Logger.Level?
    /// Milliseconds from which on a fetch is logged; 0: never.
    package var slowFetch: UInt32?
    /// MiB that the files of one user of the system's service may take; 0: as many as there are.
    package var userQuota: Int?
    /// How much of the SQL of stores is logged.
    package var sqlDebug: Int?

    /// Settings that say nothing.
    package init() {}

    /// These settings; those of `others` for what these do not say.
    package func over(_ others: ServiceSettings) -> ServiceSettings {
        var result = self
        result.dataFolder = dataFolder ?? others.dataFolder
        result.idleTimeout = idleTimeout ?? others.idleTimeout
        result.logLevel = logLevel ?? others.logLevel
        result.slowFetch = slowFetch ?? others.slowFetch
        result.userQuota = userQuota ?? others.userQuota
        result.sqlDebug = sqlDebug ?? others.sqlDebug
        return result
    }
}

extension ServiceSettings {
    /// One setting: its name in the file, which is that of the option, the variable, and how its text is
    /// read.
    private struct Setting: Sendable {
        let name: String
        let variable: String
        let expected: String
        /// Whether the text is a value, which is then set.
        let read: @Sendable (String, inout ServiceSettings) -> Bool
    }

    private static let all: [Setting] = [
        Setting(name: "data", variable: "COFFER_DATA", expected: "an absolute path") { text, settings in
            settings.dataFolder = text
            return text.hasPrefix("/") && !text.utf8.contains(0)
        },
        Setting(
            name: "idle-timeout", variable: "COFFER_IDLE_TIMEOUT", expected: "a number of seconds, 0 or more"
        ) { text, settings in
            settings.idleTimeout = Double(text)
            return settings.idleTimeout.map { isIdleTimeout($0) } ?? false
        },
        Setting(
            name: "log-level", variable: "COFFER_LOG_LEVEL",
            expected: Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        ) { text, settings in
            settings.logLevel = Logger.Level(rawValue: text)
            return settings.logLevel != nil
        },
        Setting(name: "slow-fetch", variable: "COFFER_SLOW_FETCH", expected: "a number of milliseconds") {
            text, settings in
            settings.slowFetch = UInt32(text)
            return settings.slowFetch != nil
        },
        Setting(
            name: "user-quota", variable: "COFFER_USER_QUOTA",
            expected: "a number of MiB, 0 for as many as there are"
        ) { text, settings in
            settings.userQuota = Int(text)
            return settings.userQuota.map { isUserQuota($0) } ?? false
        },
        Setting(name: "sql-debug", variable: "COFFER_SQL_DEBUG", expected: "a number from 0 to 2") {
            text, settings in
            settings.sqlDebug = Int(text)
            return settings.sqlDebug.map { isSQLDebugLevel($0) } ?? false
        },
    ]

    /// The names of all settings.
    package static var names: [String] { all.map(\.name) }

    /// Whether a number of seconds can be an idle timeout.
    package static func isIdleTimeout(_ seconds: Double) -> Bool { seconds >= 0 && seconds < 1e9 }

    /// Whether a number is a level of SQL in the log.
    package static func isSQLDebugLevel(_ level: Int) -> Bool { (0...SQLDebug.highestLevel).contains(level) }

    /// Whether a number of MiB can be a quota.
    package static func isUserQuota(_ mebibytes: Int) -> Bool { (0...1 << 30).contains(mebibytes) }

    /// What the environment says.
    ///
    /// - Throws: `SettingsError.badValue` with the variable.
    package init(environment: [String: String]) throws(SettingsError) {
        for setting in Self.all {
            guard let text = environment[setting.variable], !text.isEmpty else { continue }
            guard setting.read(text, &self) else {
                throw .badValue(
                    place: setting.variable, name: setting.name, value: text, expected: setting.expected)
            }
        }
    }

    /// What the text of a file says: lines `name = value` under `[cofferd]`; a line that begins with `#` or
    /// `;` is a comment.
    ///
    /// As in systemd's files there is no comment behind a value. Other than there, what looks like one is
    /// refused, not taken for a part of the value: a path that really has ` #` in it can stand in the
    /// environment or an option.
    /// - Throws: `SettingsError` with the file's name and the line.
    package init(text: String, file: String) throws(SettingsError) {
        var lines: [String: Int] = [:]
        var isInSection = false
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in all.enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            let number = index + 1
            if line.hasPrefix("[") {
                guard line == "[cofferd]" else {
                    throw .malformed(
                        file: file, line: number,
                        reason: "'\(line)' is not a known section: the only one is '[cofferd]'")
                }
                isInSection = true
                continue
            }
            guard let equals = line.firstIndex(of: "=") else {
                throw .malformed(
                    file: file, line: number, reason: "'\(line)' is not of the form 'name = value'")
            }
            guard isInSection else {
                throw .malformed(file: file, line: number, reason: "settings stand below '[cofferd]'")
            }
            let name = line[..<equals].trimmed
            if let first = lines.updateValue(number, forKey: name) {
                throw .repeated(file: file, line: number, name: name, first: first)
            }
            let value = line[line.index(after: equals)...]
            guard !value.seemsToEndInComment else {
                throw .malformed(
                    file: file, line: number,
                    reason: "a comment goes on a line of its own, not behind the value of '\(name)'")
            }
            try set(name, to: value.trimmed, file: file, line: number)
        }
    }

    private mutating func set(
        _ name: String, to value: String, file: String, line: Int
    ) throws(SettingsError) {
        guard let setting = Self.all.first(where: { $0.name == name }) else {
            throw .unknownSetting(file: file, line: line, name: name)
        }
        guard setting.read(value, &self) else {
            throw .badValue(
                place: "\(file):\(line)", name: name, value: value, expected: setting.expected)
        }
    }
}

extension Substring {
    /// Whether a `#` or `;` stands at its beginning or behind white space.
    fileprivate var seemsToEndInComment: Bool {
        zip(" " + self, self).contains { $0.isWhitespace && ($1 == "#" || $1 == ";") }
    }

    /// Without the white space around it.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(
            start[
                ..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
    }
}
