/// One property of all rows of a batch, packed by type.
///
/// A null row has a zero, an empty run or zero bytes in its place.
package struct Column: Sendable, Equatable {
    /// Index of the property in the batch's entity; in dictionaries the place in the properties asked for.
    package var property: Int
    /// Bit `i % 8` of byte `i / 8` is set if row `i` is null; empty if none is.
    package var nulls: [UInt8]
    /// The values, one a row.
    package var values: ColumnValues

    /// A column from its fields; a field that is left out has its default.
    package init(property: Int, nulls: [UInt8] = [], values: ColumnValues) {
        self.property = property
        self.nulls = nulls
        self.values = values
    }
}

/// The values of a column.
package enum ColumnValues: Sendable, Equatable {
    /// Integers of every width.
    case integers([Int64])
    /// Booleans: bit `i % 8` of byte `i / 8` is row `i`.
    case bits([UInt8])
    /// Doubles, and dates as seconds since 2001-01-01 00:00 UTC.
    case doubles([Double])
    /// Floats.
    case floats([Float])
    /// Text, binary, URI and transformable values.
    case bytes(ByteRuns)
    /// 16 bytes a row.
    case uuids([UInt8])
    /// 18 bytes a row: sign (1 is negative), exponent (signed), mantissa (16 bytes, little endian).
    case decimals([UInt8])
    /// To-one relationships: primary key, or -(1 + place) of an object that the same save inserts; index of
    /// the leaf entity, 0 if null.
    case references(keys: [Int64], entities: [UInt32])
}

/// Runs of bytes laid end to end: run `i` ends before `ends[i]`, and begins where run `i - 1` ends.
package struct ByteRuns: Sendable, Equatable {
    /// All runs.
    package var data: [UInt8]
    /// The end offset of each run.
    package var ends: [UInt32]

    /// Runs from their bytes end to end, and where each one ends; none by default.
    package init(data: [UInt8] = [], ends: [UInt32] = []) {
        self.data = data
        self.ends = ends
    }

    /// Where run `index` lies in `data`.
    package func range(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
    }
}

extension Column {
    /// Whether row `row` is null.
    package func isNull(_ row: Int) -> Bool {
        row / 8 < nulls.count && nulls[row / 8] & (1 << UInt8(row % 8)) != 0
    }

    /// About how many bytes the values take.
    package var byteCount: Int {
        let values =
            switch values {
            case .integers(let values): values.count * 8
            case .bits(let values): values.count
            case .doubles(let values): values.count * 8
            case .floats(let values): values.count * 4
            case .bytes(let runs): runs.data.count + runs.ends.count * 4
            case .uuids(let values), .decimals(let values): values.count
            case .references(let keys, _): keys.count * 12
            }
        return values + nulls.count
    }
}
