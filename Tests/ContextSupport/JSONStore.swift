package import CofferEmbedded
package import CofferModel
import Foundation

/// Any graph in a file of JSON.
package struct JSONStore: AtomicStore {
    private struct Value: Codable {
        var kind: String
        var text = ""
        var members: [Value]?
        var entries: [String: Value]?
    }

    private struct Object: Codable {
        var entity: String
        var reference: String
        var values: [String: Value]
        var relationships: [String: [String]]
    }

    private struct File: Codable {
        var uuid: UUID?
        var metadata: [String: Value]
        var objects: [Object]
    }

    /// The form; there is one.
    package init() {}

    package func load(_ bytes: [UInt8], model: ManagedObjectModel) throws(OwnStoreError) -> AtomicStoreGraph {
        let file: File
        do { file = try JSONDecoder().decode(File.self, from: Data(bytes)) } catch {
            throw .damaged("\(error)")
        }
        return AtomicStoreGraph(
            uuid: file.uuid, metadata: file.metadata.compactMapValues { Self.metadata($0) },
            objects: file.objects.map { object in
                AtomicStoreNode(
                    entity: object.entity, reference: object.reference,
                    values: object.values.compactMapValues { Self.value($0) },
                    relationships: object.relationships)
            })
    }

    package func save(_ graph: AtomicStoreGraph, model: ManagedObjectModel) throws(OwnStoreError) -> [UInt8] {
        let file = File(
            uuid: graph.uuid, metadata: graph.metadata.mapValues { Self.kept($0) },
            objects: graph.objects.map { object in
                Object(
                    entity: object.entity, reference: object.reference,
                    values: object.values.mapValues { Self.kept($0) }, relationships: object.relationships)
            })
        do { return Array(try JSONEncoder().encode(file)) } catch { throw .damaged("\(error)") }
    }
}

extension JSONStore {
    private static func kept(_ value: AttributeValue) -> Value {
        switch value {
        case .null, .object: Value(kind: "null")
        case .integer(let number): Value(kind: "integer", text: "\(number)")
        case .boolean(let isTrue): Value(kind: "boolean", text: "\(isTrue)")
        case .double(let number): Value(kind: "double", text: "\(number.bitPattern)")
        case .float(let number): Value(kind: "float", text: "\(number.bitPattern)")
        case .decimal(let number): Value(kind: "decimal", text: "\(number)")
        case .string(let text): Value(kind: "string", text: text)
        case .date(let date): Value(kind: "date", text: "\(date.timeIntervalSinceReferenceDate.bitPattern)")
        case .binary(let bytes): Value(kind: "binary", text: Data(bytes).base64EncodedString())
        case .uuid(let uuid): Value(kind: "uuid", text: uuid.uuidString)
        case .uri(let text): Value(kind: "uri", text: text)
        case .transformable(let bytes):
            Value(kind: "transformable", text: Data(bytes).base64EncodedString())
        }
    }

    private static func value(_ value: Value) -> AttributeValue? {
        switch value.kind {
        case "integer": Int64(value.text).map { .integer($0) }
        case "boolean": Bool(value.text).map { .boolean($0) }
        case "double": UInt64(value.text).map { .double(Double(bitPattern: $0)) }
        case "float": UInt32(value.text).map { .float(Float(bitPattern: $0)) }
        case "decimal": Decimal(string: value.text).map { .decimal($0) }
        case "string": .string(value.text)
        case "date": date(value.text).map { .date($0) }
        case "binary": Data(base64Encoded: value.text).map { .binary(Array($0)) }
        case "uuid": UUID(uuidString: value.text).map { .uuid($0) }
        case "uri": .uri(value.text)
        case "transformable": Data(base64Encoded: value.text).map { .transformable(Array($0)) }
        default: nil
        }
    }

    private static func kept(_ value: MetadataValue) -> Value {
        switch value {
        case .string(let text): Value(kind: "string", text: text)
        case .integer(let number): Value(kind: "integer", text: "\(number)")
        case .real(let number): Value(kind: "double", text: "\(number.bitPattern)")
        case .boolean(let truth): Value(kind: "boolean", text: "\(truth)")
        case .date(let date): Value(kind: "date", text: "\(date.timeIntervalSinceReferenceDate.bitPattern)")
        case .data(let bytes): Value(kind: "binary", text: Data(bytes).base64EncodedString())
        case .array(let values): Value(kind: "array", members: values.map { kept($0) })
        case .dictionary(let values): Value(kind: "dictionary", entries: values.mapValues { kept($0) })
        }
    }

    private static func metadata(_ value: Value) -> MetadataValue? {
        switch value.kind {
        case "string": .string(value.text)
        case "integer": Int64(value.text).map { .integer($0) }
        case "double": UInt64(value.text).map { .real(Double(bitPattern: $0)) }
        case "boolean": Bool(value.text).map { .boolean($0) }
        case "date": date(value.text).map { .date($0) }
        case "binary": Data(base64Encoded: value.text).map { .data(Array($0)) }
        case "array": .array((value.members ?? []).compactMap { metadata($0) })
        case "dictionary": .dictionary((value.entries ?? [:]).compactMapValues { metadata($0) })
        default: nil
        }
    }

    private static func date(_ text: String) -> Date? {
        UInt64(text).map { Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0)) }
    }
}
