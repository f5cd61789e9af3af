package import CofferModel

extension Column {
    /// Refuses a column that has not exactly one value for each of `rowCount` rows.
    ///
    /// - Throws: `WireError.malformed`, naming the field.
    /// - Complexity: O(rows) for runs of bytes, whose ends must ascend; else constant.
    package func check(rowCount: Int) throws(WireError) {
        let bitBytes = (rowCount + 7) / 8
        guard nulls.isEmpty || nulls.count == bitBytes else {
            throw mismatch("nulls", count: nulls.count, expected: bitBytes)
        }
        switch values {
        case .integers(let numbers): try check("integers", count: numbers.count, expected: rowCount)
        case .bits(let bytes): try check("data", count: bytes.count, expected: bitBytes)
        case .doubles(let numbers): try check("doubles", count: numbers.count, expected: rowCount)
        case .floats(let numbers): try check("floats", count: numbers.count, expected: rowCount)
        case .bytes(let runs):
            try check("ends", count: runs.ends.count, expected: rowCount)
            try runs.check()
        case .uuids(let bytes): try check("data", count: bytes.count, expected: 16 * rowCount)
        case .decimals(let bytes):
            try check("data", count: bytes.count, expected: DecimalParts.byteCount * rowCount)
        case .references(let keys, let entities):
            try check("integers", count: keys.count, expected: rowCount)
            try check("entities", count: entities.count, expected: rowCount)
        }
    }

    private func check(_ field: StaticString, count: Int, expected: Int) throws(WireError) {
        if count != expected { throw mismatch(field, count: count, expected: expected) }
    }

    private func mismatch(_ field: StaticString, count: Int, expected: Int) -> WireError {
        .malformed("coffer.v1.Column.\(field): \(count) of property \(property), \(expected) are needed")
    }
}

extension ByteRuns {
    /// Refuses ends that do not ascend or lie beyond the data.
    func check() throws(WireError) {
        var previous: UInt32 = 0
        var isAscending = true
        for end in ends {
            isAscending = isAscending && end >= previous
            previous = end
        }
        guard isAscending else { throw .malformed("coffer.v1.Column.ends: do not ascend") }
        guard Int(previous) <= data.count else {
            throw .malformed("coffer.v1.Column.ends: \(previous) lies beyond \(data.count) bytes of data")
        }
    }
}

extension Column {
    /// Refuses a column that an attribute of `type` cannot hold: another kind, integers too wide, text that
    /// is not UTF-8.
    ///
    /// The rows must have been checked, as those of every message that was read are. Nulls are not looked at.
    ///
    /// - Throws: `WireError.malformed`, naming the field and the property's index.
    /// - Complexity: O(bytes) for text, O(rows) for narrow integers and decimals; else constant.
    package func check(_ type: AttributeType) throws(WireError) {
        guard values.kind == ColumnKind(type) else {
            throw .malformed("coffer.v1.Column.kind: \(values.kind) do not fit property \(property), \(type)")
        }
        switch values {
        case .integers(let numbers):
            guard type != .integer64, let range = type.integerRange else { return }
            guard numbers.allSatisfy(range.contains) else {
                throw .malformed("coffer.v1.Column.integers: too wide for property \(property), \(type)")
            }
        case .bytes(let runs):
            guard type == .string || type == .uri else { return }
            for row in runs.ends.indices where runs.text(row) == nil {
                throw .malformed("coffer.v1.Column.data: row \(row) of property \(property) is not UTF-8")
            }
        case .decimals(let bytes):
            for row in 0..<(bytes.count / DecimalParts.byteCount)
            where DecimalParts(row: row, of: bytes)?.decimal == nil {
                throw .malformed(
                    "coffer.v1.Column.data: row \(row) of property \(property) is not a decimal number")
            }
        case .bits, .doubles, .floats, .uuids, .references: return
        }
    }
}

extension ColumnKind {
    /// What holds an attribute of `type`.
    package init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64: .integers
            case .boolean: .bits
            case .double, .date: .doubles
            case .float: .floats
            case .string, .binary, .uri, .transformable: .bytes
            case .uuid: .uuids
            case .decimal: .decimals
            }
    }
}
