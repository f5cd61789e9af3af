package import CofferModel

/// Where in a text file something stands.
package struct TextLocation: Sendable, Hashable {
    /// The file's path, or the name the caller gave to bytes.
    package var file: String
    /// The line, from 1.
    package var line: Int
    /// The column in bytes, from 1.
    package var column: Int
    /// The element, for example `attribute 'title'`; empty if there is none.
    package var element: String

    /// A place in a file, and the element there if one is known.
    package init(file: String, line: Int, column: Int, element: String = "") {
        self.file = file
        self.line = line
        self.column = column
        self.element = element
    }
}

extension TextLocation: CustomStringConvertible {
    package var description: String {
        "\(file):\(line):\(column)" + (element.isEmpty ? "" : ": \(element)")
    }
}

/// Why a file or its bytes could not be read.
@nonexhaustive
package enum FormatError: Error, Equatable, Sendable {
    /// There is no such file, or it cannot be read: check path and permissions.
    case unreadable(path: String, reason: String)
    /// The text does not follow its format: correct it at `place`.
    case malformed(at: TextLocation, reason: String)
    /// The text is well-formed but larger than `Limits` allows, or uses what is never accepted.
    case refused(at: TextLocation, reason: String)
    /// The file is of a kind that is not read, for example an old binary model: convert it first.
    case unsupported(path: String, reason: String)
    /// The definitions in the file do not fit each other.
    case inconsistentModel(path: String, ModelError)
    /// The bytes are not a sound property list, or lack what they must have.
    case damagedPropertyList(reason: String)
    /// The bytes are not a sound store of Coffer's binary form; `offset` is where in the file.
    case damagedStore(path: String, offset: Int, reason: String)
    /// A format cannot hold an object's value, or what one is called; nothing was written.
    case unrepresentable(entity: String, object: String, property: String, reason: String)
    /// The bytes are not a sound deflate stream, or grow beyond what is allowed.
    case damagedDeflate(reason: String)
}

extension FormatError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .malformed(let place, let reason): "\(place): \(reason)."
        case .refused(let place, let reason): "\(place): refused, \(reason)."
        case .unsupported(let path, let reason): "\(path) is not supported: \(reason)."
        case .inconsistentModel(let path, let error): "\(path): \(error)"
        case .damagedPropertyList(let reason): "The property list is damaged: \(reason)."
        case .damagedStore(let path, let offset, let reason):
            "\(path) is damaged at byte \(offset): \(reason)."
        case .unrepresentable(let entity, let object, let property, let reason):
            "'\(entity)\(property.isEmpty ? "" : ".\(property)")' of the object \(object) cannot be written: \(reason)."
        case .damagedDeflate(let reason): "The compressed bytes are damaged: \(reason)."
        }
    }
}
