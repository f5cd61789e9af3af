import FoundationEssentials

/// A value of a JSON text.
enum JSONValue: Decodable {
    case null
    case boolean(Bool)
    /// A number, as text that keeps all its digits.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The likely ones first: each that does not fit costs an error.
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if container.decodeNil() {
            self = .null
        } else if let object = try? container.decode([String: JSONValue].self) {
            self = .object(object)
        } else if let truth = try? container.decode(Bool.self) {
            self = .boolean(truth)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number.description)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number.description)
        } else {
            self = .list(try container.decode([JSONValue].self))
        }
    }

    /// The text of a scalar; `nil` for others and for null.
    var scalarText: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .boolean(let truth): truth ? "true" : "false"
        case .null, .list, .object: nil
        }
    }
}

/// The objects of a file to import.
enum ImportFile {
    typealias Row = [String: JSONValue]

    /// The rows of a file: an array of objects, or an object with one member that is such an array; `-` is standard input.
    static func rows(path: String) throws -> [Row] {
        let data: Data
        if path == "-" {
            data = try StandardInput.readAll()
        } else {
            guard let contents = FileManager.default.contents(atPath: path) else {
                throw ToolError(.noInput, "\(path) cannot be read.")
            }
            data = contents
        }
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch is DecodingError {
            // Of some faults Foundation says that another type was expected.
            guard let fault = JSONFault(in: Array(data)) else {
                throw ToolError(
                    .data,
                    "\(path) is no JSON that can be read: it is not UTF-8, nested too deeply, or has a number too large."
                )
            }
            throw ToolError(
                .data, "\(path):\(fault.line):\(fault.column): no JSON: \(fault.expected) was expected.")
        }
        guard let list = list(in: value) else {
            throw ToolError(.data, "\(path) holds no array of objects.")
        }
        return try list.enumerated().map { index, value in
            guard case .object(let row) = value else {
                throw ToolError(.data, "\(path): row \(index + 1) of the array is no object.")
            }
            return row
        }
    }

    private static func list(in value: JSONValue) -> [JSONValue]? {
        switch value {
        case .list(let list): return list
        case .object(let members):
            let lists = members.values.compactMap { value -> [JSONValue]? in
                if case .list(let list) = value { list } else { nil }
            }
            return lists.count == 1 ? lists.first : nil
        default: return nil
        }
    }
}
