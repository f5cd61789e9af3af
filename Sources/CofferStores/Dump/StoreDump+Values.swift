internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

// The values of an object.

extension StoreDump {
    /// Puts a value into `content`.
    func read(
        _ field: DumpField, of entity: DumpEntity, key: Int64, _ statement: SQLiteStatement
    ) throws(StoreError) -> DumpEncoder.Value {
        switch field.kind {
        case .integer(let column):
            if statement.isNull(column) { return .null }
            content += "\(statement.int64(column))".utf8
            return .number
        case .boolean(let column):
            return statement.isNull(column) ? .null : .boolean(statement.int64(column) != 0)
        case .double(let column):
            return statement.isNull(column) ? .null : number(statement.double(column))
        case .float(let column):
            return statement.isNull(column) ? .null : number(Float(statement.double(column)))
        case .date(let column):
            if statement.isNull(column) { return .null }
            let date = Date(timeIntervalSinceReferenceDate: statement.double(column))
            content += DateText.text(of: date).utf8
            return .text
        case .text(let column):
            if statement.isNull(column) { return .null }
            statement.appendText(column, to: &content)
            // What is not UTF-8 would make the whole dump invalid.
            if content.contains(where: { $0 >= 0x80 }) {
                content = Array(String(decoding: content, as: UTF8.self).utf8)
            }
            return .text
        case .uuid(let column):
            statement.appendBlob(column, to: &content)
            guard content.count == 16 else { return .null }
            content = DumpText.uuid(content)
            return .text
        case .decimal(let column, let digits):
            let text = digits.flatMap { statement.isNull($0) ? nil : statement.text($0) }
            guard let parts = DecimalParts(statement, column, digits: text) else { return .null }
            if parts.isNaN {
                content += DecimalParts.notANumberText.utf8
                return .text
            }
            content += DumpText.plain(parts).utf8
            return .number
        case .binary(let column, let mayBeFile):
            if statement.isNull(column) { return .null }
            statement.appendBlob(column, to: &content)
            return mayBeFile ? try readFile("\(entity.name)/p\(key) \(field.name)") : .binary
        case .object(let column, let name):
            if statement.isNull(column) { return .null }
            content += "\(name)/p\(statement.int64(column))".utf8
            return .ids
        case .objectOfMany(let column):
            if statement.isNull(column) { return .null }
            return append(statement.int64(column), ofEntity: statement.int64(column + 1)) ? .ids : .null
        case .objects(let sql):
            do throws(StoreError) {
                try readObjects(sql, of: key)
            } catch  where error.isOfUnreadablePages {
                miss("\(entity.name)/p\(key) \(field.name): \(error)")
                content.removeAll(keepingCapacity: true)
                return .null
            }
            return .ids
        }
    }

    private func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> DumpEncoder.Value {
        content += value.description.utf8
        return value.isFinite ? .number : .text
    }

    private func append(_ key: Int64, ofEntity number: Int64) -> Bool {
        guard let number = Int(exactly: number), let entity = file.schema.entity(numbered: number) else {
            return false
        }
        content += "\(file.schema.model.entities[entity.index].name)/p\(key)".utf8
        return true
    }

    private func readObjects(_ sql: String, of key: Int64) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(sql)
            try statement.bind(key, at: 1)
            defer { statement.reset() }
            while try statement.step() {
                if !content.isEmpty { content.append(UInt8(ascii: " ")) }
                if !append(statement.int64(0), ofEntity: statement.int64(1)) {
                    if !content.isEmpty { content.removeLast() }
                }
            }
        }
    }

    /// Puts into `content` the value in the row, or in the file that the row names; if that file is
    /// missing, the value is null, which is reported.
    private func readFile(_ place: String) throws(StoreError) -> DumpEncoder.Value {
        var reason = ""
        let value: [UInt8]?
        do throws(StoreError) {
            value = try ExternalData.value(content) { name throws(StoreError) in
                reason = "the file '\(name)' is missing"
                return try file.externalBytes(name)
            }
        } catch {
            guard case .tooLarge = error else { throw error }
            (value, reason) = (nil, "\(error)")
        }
        if let value {
            content = value
            return .binary
        }
        miss("\(place): \(reason)")
        return .null
    }

    /// Tells of a value that is null though it was not.
    private func miss(_ text: String) {
        missingValueCount += 1
        if missingValues.count < Limits.toldItems { missingValues.append(text) }
    }
}
