internal import CofferFormats
internal import CofferModel

/// Writes objects in the format of a dump.
struct DumpEncoder {
    /// A value on its way; its bytes stand beside it.
    enum Value {
        case null
        /// As JSON and SQL write it.
        case number
        case boolean(Bool)
        /// UTF-8.
        case text
        case binary
        /// Ids with spaces between them.
        case ids
    }

    let format: DumpFormat
    let uuid: String
    private var isFirst = true

    init(_ format: DumpFormat, uuid: String) {
        self.format = format
        self.uuid = uuid
    }

    func begin(_ bytes: inout [UInt8]) {
        switch format {
        case .json, .csv: break
        case .xml: bytes += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<store uuid=\"\(uuid)\">\n".utf8
        case .sql: bytes += "BEGIN;\n".utf8
        }
    }

    /// What stands at the end; of a dump that is not whole, SQL takes nothing.
    func end(_ bytes: inout [UInt8], isWhole: Bool) {
        switch format {
        case .json, .csv: break
        case .xml: bytes += "</store>\n".utf8
        case .sql: bytes += (isWhole ? "COMMIT;\n" : "ROLLBACK;\n").utf8
        }
    }

    func begin(_ entity: DumpEntity, _ bytes: inout [UInt8]) {
        switch format {
        case .json, .xml: break
        case .csv:
            DumpText.appendCSV(Array(entity.idName.utf8), to: &bytes)
            for field in entity.fields {
                bytes.append(UInt8(ascii: ","))
                DumpText.appendCSV(Array(field.name.utf8), to: &bytes)
            }
            bytes.append(UInt8(ascii: "\n"))
        case .sql:
            let columns = entity.fields.map { ", \(SQLName.inQuotes($0.name)) \($0.sqlType)" }.joined()
            bytes +=
                "CREATE TABLE \(SQLName.inQuotes(entity.name))(\(entity.idName) TEXT PRIMARY KEY\(columns));\n"
                .utf8
        }
    }

    mutating func beginObject(_ entity: DumpEntity, key: Int64, _ bytes: inout [UInt8]) {
        isFirst = true
        switch format {
        case .json:
            bytes += "{\"entity\":\"\(entity.name)\",\"id\":\"\(entity.name)/p\(key)\",\"values\":{".utf8
        case .csv: bytes += "\(entity.name)/p\(key)".utf8
        case .xml: bytes += "<object entity=\"\(entity.name)\" id=\"\(entity.name)/p\(key)\">".utf8
        case .sql:
            bytes += "INSERT INTO \(SQLName.inQuotes(entity.name)) VALUES('\(entity.name)/p\(key)'".utf8
        }
    }

    func endObject(_ bytes: inout [UInt8]) {
        switch format {
        case .json: bytes += "}}\n".utf8
        case .csv: bytes.append(UInt8(ascii: "\n"))
        case .xml: bytes += "</object>\n".utf8
        case .sql: bytes += ");\n".utf8
        }
    }

    mutating func append(_ field: DumpField, _ value: Value, content: [UInt8], to bytes: inout [UInt8]) {
        switch format {
        case .json:
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            bytes += field.jsonName
            appendJSON(field, value, content: content, to: &bytes)
        case .csv:
            bytes.append(UInt8(ascii: ","))
            appendCSV(value, content: content, to: &bytes)
        case .xml: appendXML(field, value, content: content, to: &bytes)
        case .sql:
            bytes.append(UInt8(ascii: ","))
            appendSQL(field, value, content: content, to: &bytes)
        }
        isFirst = false
    }

    private func appendJSON(
        _ field: DumpField, _ value: Value, content: [UInt8], to bytes: inout [UInt8]
    ) {
        switch value {
        case .null: bytes += "null".utf8
        case .number: bytes += content
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .text: DumpText.appendJSON(content, to: &bytes)
        case .binary: DumpText.appendJSON(Array(Base64.text(of: content).utf8), to: &bytes)
        case .ids:
            guard case .objects = field.kind else { return DumpText.appendJSON(content, to: &bytes) }
            bytes.append(UInt8(ascii: "["))
            for (place, id) in content.split(separator: UInt8(ascii: " ")).enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                DumpText.appendJSON(Array(id), to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    private func appendCSV(_ value: Value, content: [UInt8], to bytes: inout [UInt8]) {
        switch value {
        case .null: break
        case .number, .ids: bytes += content
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .text: DumpText.appendCSV(content, to: &bytes)
        case .binary: DumpText.appendCSV(Array(Base64.text(of: content).utf8), to: &bytes)
        }
    }

    private func appendXML(
        _ field: DumpField, _ value: Value, content: [UInt8], to bytes: inout [UInt8]
    ) {
        if case .null = value { return }
        let element = field.isRelationship ? "relationship" : "attribute"
        var isEncoded = false
        if case .text = value { isEncoded = !DumpText.fitsXML(content) }
        if case .binary = value { isEncoded = true }
        bytes += "<\(element) name=\"\(field.name)\"\(isEncoded ? " encoding=\"base64\"" : "")>".utf8
        switch value {
        case .null: break
        case .number, .ids: bytes += content
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .text, .binary:
            if isEncoded {
                bytes += Base64.text(of: content).utf8
            } else {
                DumpText.appendXML(content, to: &bytes)
            }
        }
        bytes += "</\(element)>".utf8
    }

    private func appendSQL(
        _ field: DumpField, _ value: Value, content: [UInt8], to bytes: inout [UInt8]
    ) {
        switch value {
        case .null: bytes += "NULL".utf8
        case .number:
            guard case .decimal = field.kind else {
                bytes += content
                return
            }
            DumpText.appendSQL(content, to: &bytes)
        case .boolean(let truth): bytes.append(UInt8(ascii: truth ? "1" : "0"))
        case .text, .ids: DumpText.appendSQL(content, to: &bytes)
        case .binary: DumpText.appendHex(content, to: &bytes)
        }
    }
}
