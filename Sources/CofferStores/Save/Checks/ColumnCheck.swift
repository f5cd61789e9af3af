internal import CofferModel
internal import CofferWire

/// Checks that columns of a request have the form and type that their properties require, so that reading
/// them cannot trap.
enum ColumnCheck {
    /// Checks all columns of one group.
    ///
    /// - Throws: `wrongType` naming the property, `unknownProperty`, `unsupported`.
    static func check(_ columns: [Column], rows: Int, of plan: EntityPlan) throws(StoreError) {
        for (place, column) in columns.enumerated() {
            for other in columns[..<place] where other.property == column.property {
                throw .malformedRequest("'\(plan.name)' has two columns for one property")
            }
            let property = try plan.property(column.property)
            if let fault = fault(in: column, rows: rows, property: property) {
                throw .wrongType(entity: plan.name, property: property.name, detail: fault)
            }
        }
    }

    private static func fault(in column: Column, rows: Int, property: EntityPlan.Property) -> String? {
        if let type = property.attribute?.type { return fault(in: column, rows: rows, type: type) }
        guard let relationship = property.relationship, !relationship.isToMany else {
            return "a to-many relationship has no column"
        }
        guard case .references(let keys, let entities) = column.values else { return "it wants references" }
        guard keys.count == rows, entities.count == rows else { return "it has another number of rows" }
        return nil
    }

    private static func fault(in column: Column, rows: Int, type: AttributeType) -> String? {
        let otherNumber = "it has another number of rows"
        switch (column.values, type) {
        case (.integers(let values), .integer16), (.integers(let values), .integer32),
            (.integers(let values), .integer64):
            guard values.count == rows else { return otherNumber }
            guard let range = type.integerRange, type != .integer64 else { return nil }
            return values.allSatisfy(range.contains) ? nil : "an integer is out of its range"
        case (.bits(let bits), .boolean): return bits.count >= (rows + 7) / 8 ? nil : otherNumber
        case (.doubles(let values), .double), (.doubles(let values), .date):
            return values.count == rows ? nil : otherNumber
        case (.floats(let values), .float): return values.count == rows ? nil : otherNumber
        case (.uuids(let bytes), .uuid): return bytes.count == 16 * rows ? nil : otherNumber
        case (.decimals(let bytes), .decimal):
            guard bytes.count == 18 * rows else { return otherNumber }
            return (0..<rows).allSatisfy { bytes[18 * $0] <= 1 }
                ? nil : "the sign of a decimal is neither 0 nor 1"
        case (.bytes(let runs), .binary), (.bytes(let runs), .transformable):
            return isSound(runs, rows: rows) ? nil : otherNumber
        case (.bytes(let runs), .string), (.bytes(let runs), .uri):
            guard isSound(runs, rows: rows) else { return otherNumber }
            return isText(runs) ? nil : "a text is not valid UTF-8"
        default: return "it wants values of another kind"
        }
    }

    private static func isSound(_ runs: ByteRuns, rows: Int) -> Bool {
        guard runs.ends.count == rows else { return false }
        var last: UInt32 = 0
        for end in runs.ends {
            if end < last { return false }
            last = end
        }
        return Int(last) == runs.data.count
    }

    /// Whether each run is valid UTF-8: they are when all together are, and none begins inside a character.
    private static func isText(_ runs: ByteRuns) -> Bool {
        guard let text = try? UTF8Span(validating: runs.data.span) else { return false }
        if text.isKnownASCII { return true }
        return runs.ends.allSatisfy { end in
            Int(end) == runs.data.count || runs.data[Int(end)] & 0xC0 != 0x80
        }
    }
}
