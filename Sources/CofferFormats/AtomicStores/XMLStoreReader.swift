internal import CofferModel
internal import FoundationEssentials

/// Reads the XML stores that Core Data writes: `NSXMLStoreType`.
///
/// Nothing of them is trusted: see `XMLDocumentReader` for their bounds. Every reference leads to an object
/// of the same file.
package enum XMLStoreReader {
    /// Whether a file that begins with `bytes`, 1 KB or all of it, means to be such a store.
    package static func recognises(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.prefix(1_024), as: UTF8.self)
        return text.hasPrefix("<?xml") && text.contains("<database>")
    }

    /// The graph in `bytes`; errors call the file `file`.
    ///
    /// - Throws: `FormatError.malformed` or `.refused`, naming line and element.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> AtomicStoreContent {
        let root = try XMLDocumentReader.read(bytes, file: file)
        guard root.name == "database" else { throw error(at: root, in: file, "a 'database' is expected") }
        var content = AtomicStoreContent()
        for element in root.children {
            switch element.name {
            case "databaseInfo": try readInfo(element, file: file, into: &content)
            case "object": content.objects.append(try object(element, file: file))
            default: throw error(at: element, in: file, "an 'object' is expected")
            }
        }
        try checkIDs(of: content, in: root, file: file)
        return content
    }

    private static func readInfo(
        _ info: XMLElement, file: String, into content: inout AtomicStoreContent
    ) throws(FormatError) {
        for element in info.children {
            switch element.name {
            case "UUID":
                guard let uuid = UUID(uuidString: element.text) else {
                    throw error(at: element, in: file, "it is not a UUID")
                }
                content.uuid = uuid
            case "nextObjectID":
                guard let number = UInt64(element.text) else {
                    throw error(at: element, in: file, "it is not a number")
                }
                content.lastObjectNumber = number
            case "metadata":
                guard let list = element.children.first else { continue }
                guard let values = try XMLPropertyListReader.value(in: list, file: file).dictionary else {
                    throw error(at: list, in: file, "the metadata is not a dictionary")
                }
                content.metadata = values
            default: break  // Its version, and what later ones may add.
            }
        }
    }

    private static func object(
        _ element: XMLElement, file: String
    ) throws(FormatError) -> AtomicStoreObject {
        guard let entity = element["type"], let id = element["id"], !entity.isEmpty, !id.isEmpty else {
            throw error(at: element, in: file, "an object has a 'type' and an 'id'")
        }
        var object = AtomicStoreObject(entity: entity, id: id)
        for child in element.children {
            guard let name = child["name"] else { throw error(at: child, in: file, "it has no 'name'") }
            guard object.values[name] == nil, object.references[name] == nil else {
                throw error(at: child, in: file, "the object has it twice")
            }
            switch child.name {
            case "attribute": object.values[name] = try value(child, file: file)
            case "relationship":
                object.references[name] = (child["idrefs"] ?? "").split(separator: " ").map { String($0) }
            default: throw error(at: child, in: file, "it is not a property")
            }
        }
        return object
    }

    private static func value(_ element: XMLElement, file: String) throws(FormatError) -> AtomicStoreValue {
        let text = element.text
        let value: AtomicStoreValue?
        switch element["type"] {
        case "string", "uri", "URI": value = .text(text)
        case "uuid", "UUID": value = UUID(uuidString: text) == nil ? nil : .text(text)
        case "int16": value = Int16(text).map { .integer(Int64($0)) }
        case "int32": value = Int32(text).map { .integer(Int64($0)) }
        case "int64": value = Int64(text).map { .integer($0) }
        case "bool": value = ["0": false, "1": true][text].map { .boolean($0) }
        case "float": value = Float.plain(text) == nil ? nil : Double(text).map { .real($0) }
        case "double": value = Double.plain(text).map { .real($0) }
        case "decimal": value = Decimal(exactText: text) == nil ? nil : .decimal(text)
        case "date": value = Double.plain(text).flatMap { $0.isFinite ? .date($0) : nil }
        case "binary": value = Base64.bytes(of: text).map { .bytes($0) }
        default: throw error(at: element, in: file, "its type is not known")
        }
        guard let value else { throw error(at: element, in: file, "its value is not of its type") }
        return value
    }

    /// Whether no two objects have the same id, and all that are named are there.
    private static func checkIDs(
        of content: AtomicStoreContent, in root: XMLElement, file: String
    ) throws(FormatError) {
        let elements = root.children(named: "object")
        var ids: Set<String> = []
        for (object, element) in zip(content.objects, elements) {
            guard ids.insert(object.id).inserted else {
                throw error(at: element, in: file, "another object has the id '\(object.id)'")
            }
        }
        for (object, element) in zip(content.objects, elements) {
            for missing in object.references.values.joined() where !ids.contains(missing) {
                throw error(at: element, in: file, "no object has the id '\(missing)' that it refers to")
            }
        }
    }

    private static func error(at element: XMLElement, in file: String, _ reason: String) -> FormatError {
        .malformed(
            at: TextLocation(
                file: file, line: element.line, column: element.column, element: element.label),
            reason: reason)
    }
}
