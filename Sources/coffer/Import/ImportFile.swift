import CofferLinux

/// The objects of a file to import.
enum ImportFile {
    /// An object of the file.
    struct Row {
        /// Counted from 1.
        let number: Int
        let fields: [String: JSONValue]
    }

    /// The rows of a file: an array of objects, or an object with one member that is such an array; `-` is
    /// standard input.
    static func rows(path: String) throws -> [Row] {
        let name = path == "-" ? "Standard input" : path
        let bytes = try bytes(path: path)
        let value: JSONValue
        do throws(JSONFault) {
            value = try JSONParser.value(of: bytes)
        } catch {
            throw ToolError(.data, "\(name):\(error.line):\(error.column): not valid JSON: \(error.text).")
        }
        guard let list = list(in: value) else {
            throw ToolError(.data, "\(name) holds no array of objects.")
        }
        return try list.enumerated().map { index, value in
            guard case .object(let fields) = value else {
                throw ToolError(.data, "\(name): row \(index + 1) of the array is not an object.")
            }
            return Row(number: index + 1, fields: fields)
        }
    }

    private static func bytes(path: String) throws -> [UInt8] {
        if path == "-" { return try StandardInput.readAll() }
        do throws(LinuxError) {
            // It may be a pipe: its length is not known, and it is read once.
            return try OwnedDescriptor(opening: path).readAll(limit: StandardInput.limit)
        } catch {
            throw ToolError(.noInput, "\(path) cannot be read: \(error.reason).")
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

/// Does what concerns one row; errors begin with its number.
func inRow<Result>(_ number: Int, _ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    do {
        return try body()
    } catch {
        throw ToolError(error.status, "Row \(number): \(error.text)")
    }
}
