internal import CofferWire

extension Column {
    /// Whether row `row` has the same value as row `otherRow` of `other`.
    func hasSameValue(_ row: Int, as other: Column, _ otherRow: Int) -> Bool {
        if isNull(row) || other.isNull(otherRow) { return isNull(row) && other.isNull(otherRow) }
        return switch (values, other.values) {
        case (.integers(let a), .integers(let b)): a[row] == b[otherRow]
        case (.bits(let a), .bits(let b)):
            a[row / 8] >> UInt8(row % 8) & 1 == b[otherRow / 8] >> UInt8(otherRow % 8) & 1
        case (.doubles(let a), .doubles(let b)): a[row] == b[otherRow]
        case (.floats(let a), .floats(let b)): a[row] == b[otherRow]
        case (.bytes(let a), .bytes(let b)): a.data[a.range(row)] == b.data[b.range(otherRow)]
        case (.uuids(let a), .uuids(let b)):
            a[(16 * row)..<(16 * row + 16)] == b[(16 * otherRow)..<(16 * otherRow + 16)]
        case (.decimals(let a), .decimals(let b)):
            DecimalParts(a, row: row).inLowestTerms == DecimalParts(b, row: otherRow).inLowestTerms
        case (.references(let a, _), .references(let b, _)): a[row] == b[otherRow]
        default: false
        }
    }

    /// Whether it refers to objects that the save inserts.
    var namesInserted: Bool {
        guard case .references(let keys, _) = values else { return false }
        return keys.contains { $0 < 0 }
    }

    /// The values as the keys that references stand for are known: `key` gives the key of an object that the
    /// save inserts.
    func resolved(_ key: (Int64) throws(StoreError) -> Int64) throws(StoreError) -> Column {
        guard case .references(var keys, let entities) = values else { return self }
        for index in keys.indices where keys[index] < 0 { keys[index] = try key(keys[index]) }
        return Column(property: property, nulls: nulls, values: .references(keys: keys, entities: entities))
    }

    /// One row by itself.
    func row(_ row: Int) -> Column {
        let values: ColumnValues =
            switch values {
            case .integers(let all): .integers([all[row]])
            case .bits(let bits): .bits([bits[row / 8] >> UInt8(row % 8) & 1])
            case .doubles(let all): .doubles([all[row]])
            case .floats(let all): .floats([all[row]])
            case .bytes(let runs):
                .bytes(
                    ByteRuns(data: Array(runs.data[runs.range(row)]), ends: [UInt32(runs.range(row).count)]))
            case .uuids(let bytes): .uuids(Array(bytes[(16 * row)..<(16 * row + 16)]))
            case .decimals(let bytes): .decimals(Array(bytes[(18 * row)..<(18 * row + 18)]))
            case .references(let keys, let entities):
                .references(keys: [keys[row]], entities: [entities[row]])
            }
        return Column(property: property, nulls: isNull(row) ? [1] : [], values: values)
    }
}
