/// A place in a predicate's format.
public struct FormatPlace: Sendable, Hashable, CustomStringConvertible {
    /// The format that was read.
    public var format: String
    /// Characters before the place.
    public var offset: Int

    /// A place in a format, counted in characters from 0.
    public init(format: String, offset: Int) {
        self.format = format
        self.offset = offset
    }

    /// Where it is, in words.
    public var description: String { "character \(offset + 1) of '\(format)'" }
}

/// Why a predicate cannot be read, does not fit a model, or has no answer for an object.
///
/// Named so because Foundation has a `PredicateError` of its own.
@nonexhaustive
public indirect enum QueryError: Error, Equatable, Sendable {
    /// The format is wrong at a place: write there what was expected.
    case unexpected(at: FormatPlace, expected: String)
    /// The placeholder at a place has no argument, or one of another kind: give what was expected.
    case argument(at: FormatPlace, expected: String)
    /// More arguments were given than the format has placeholders.
    case surplusArguments(format: String, placeholders: Int, arguments: Int)
    /// The format or predicate is longer or more deeply nested than allowed: split it.
    case tooComplex(String)
    /// There is no function with the name, or it takes another number of arguments.
    case unknownFunction(String, argumentCount: Int)
    /// A key is not a property of the entity that its key path has led to.
    case unknownKey(String, keyPath: String, entity: String)
    /// A key path cannot be asked for so: it runs through an attribute, is to-many without `ANY`, or is not
    /// stored.
    case invalidKeyPath(String, entity: String, reason: String)
    /// The two sides of a comparison have different types, or types that the operator does not take.
    case typeMismatch(keyPath: String, entity: String, expected: String, found: String)
    /// A `$variable` has no value: use `substituting(_:)`.
    case unfilledVariable(String)
    /// An operator or function cannot take the values of an object.
    case invalidOperand(String)
    /// A store cannot answer a part of the predicate, which is named as it is written; the reason says what
    /// to write instead.
    case notInStore(String, reason: String)
    /// A regular expression of `MATCHES` cannot be read, or uses what is not supported.
    case invalidPattern(String, reason: String)
    /// What stands at a place in a format does not fit the model; the error within says why.
    case misfit(QueryError, at: FormatPlace)
}

extension QueryError: CustomStringConvertible {
    /// What is wrong, as a sentence; for a format with the place under it.
    public var description: String {
        switch self {
        case .unexpected(let place, let expected): "Expected \(expected):\n\(place.excerpt)"
        case .argument(let place, let expected):
            "The argument for this placeholder must be \(expected):\n\(place.excerpt)"
        case .surplusArguments(let format, let placeholders, let arguments):
            "The format '\(format)' has \(placeholders) placeholders, but \(arguments) arguments were given."
        case .tooComplex(let what): "The predicate is too large: \(what)."
        case .unknownFunction(let name, let count):
            "There is no function '\(name)' that takes \(count) arguments."
        case .unknownKey(let key, let keyPath, let entity):
            "'\(key)' is not a property of entity '\(entity)' (in key path '\(keyPath)')."
        case .invalidKeyPath(let keyPath, let entity, let reason):
            "The key path '\(keyPath)' of entity '\(entity)' \(reason)."
        case .typeMismatch(let keyPath, let entity, let expected, let found):
            "At '\(keyPath)' of entity '\(entity)': expected \(expected), found \(found)."
        case .unfilledVariable(let name): "The variable '$\(name)' has no value."
        case .invalidOperand(let reason): "The predicate cannot be evaluated: \(reason)."
        case .notInStore(let part, let reason): "A store cannot answer '\(part)': \(reason)."
        case .invalidPattern(let pattern, let reason):
            "The regular expression '\(pattern)' cannot be used: \(reason)."
        case .misfit(let error, let place): "\(error.description.dropLast()):\n\(place.excerpt)"
        }
    }
}

extension FormatPlace {
    /// Two lines: the format, or as much as fits around the place, and a caret under the place.
    var excerpt: String {
        let reach = 50
        let characters = Array(format)
        let place = min(max(offset, 0), characters.count)
        let start = max(0, place - reach)
        let end = min(characters.count, place + reach)
        let before = start > 0 ? "…" : ""
        let line = String(characters[start..<end].map { $0.isNewline || $0 == "\t" ? " " : $0 })
        let caret = String(repeating: " ", count: before.count + place - start) + "^"
        return before + line + (end < characters.count ? "…" : "") + "\n" + caret
    }
}
