/// Why the settings of a service cannot be used; it does not start with others than were meant.
@nonexhaustive
package enum SettingsError: Error, Equatable, Sendable {
    /// A line of the file is not `name = value`.
    case malformed(file: String, line: Int, reason: String)
    /// The file names a setting that there is not.
    case unknownSetting(file: String, line: Int, name: String)
    /// A setting stands in the file twice.
    case repeated(file: String, line: Int, name: String, first: Int)
    /// A setting does not take its value; `place` is a line of the file, or a variable.
    case badValue(place: String, name: String, value: String, expected: String)
    /// The file cannot be read.
    case unreadable(file: String, reason: String)
}

extension SettingsError: CustomStringConvertible {
    /// The place, what is wrong there, and what would be right, for the log.
    package var description: String {
        switch self {
        case .malformed(let file, let line, let reason): "\(file):\(line): \(reason)"
        case .unknownSetting(let file, let line, let name):
            "\(file):\(line): there is no setting '\(name)': "
                + "\(ServiceSettings.names.joined(separator: ", ")) are those that there are"
        case .repeated(let file, let line, let name, let first):
            "\(file):\(line): '\(name)' is set in line \(first) already"
        case .badValue(let place, let name, let value, let expected):
            "\(place): '\(name)' cannot be '\(value)': \(expected) is expected"
        case .unreadable(let file, let reason): "\(file): \(reason)"
        }
    }
}
