import CofferWire
import TestSupport
import Testing

@Suite struct GatheredRowsTests {
    /// Columns of all kinds, which every block has, or all but some of them, in an order of its own.
    private static let columns = (1...8).compactMap { kind in
        ColumnKind(rawValue: UInt32(kind)).map { ColumnShape(property: kind * 3, kind: $0) }
    }

    /// A block of `count` rows whose keys begin at `first`.
    private func batch(_ count: Int, first: Int64, isWhole: Bool, _ dice: inout Dice) -> RowBatch {
        var columns: [Column] = []
        for shape in Self.columns where isWhole || dice.flag() {
            var column = dice.column(count)
            while kind(column) != shape.kind { column = dice.column(count) }
            column.property = shape.property
            columns.append(column)
        }
        if dice.flag() { columns.reverse() }
        return RowBatch(
            rowCount: count, entity: 5, entities: dice.flag() ? [] : (0..<count).map { _ in dice.number32() },
            primaryKeys: (0..<count).map { first + Int64($0) },
            versions: (0..<count).map { _ in dice.number32() },
            columns: columns)
    }

    private func kind(_ column: Column) -> ColumnKind {
        switch column.values {
        case .integers: .integers
        case .bits: .bits
        case .doubles: .doubles
        case .floats: .floats
        case .bytes: .bytes
        case .uuids: .uuids
        case .decimals: .decimals
        case .references: .references
        }
    }

    /// What a value reads as, whatever it is; `nil` for null.
    private func value(_ rows: PackedRows, _ property: Int, _ row: Int) -> String? {
        guard let column = rows.column(of: property, near: 0), !rows.isNull(column, row) else { return nil }
        let reference = rows.reference(column, row).map { "\($0)" }
        return """
            \(rows.int64(column, row) as Any) \(rows.boolean(column, row) as Any) \
            \(rows.double(column, row)?.bitPattern as Any) \(rows.float(column, row)?.bitPattern as Any) \
            \(rows.bytes(column, row) as Any) \(rows.text(column, row) as Any) \(rows.uuid(column, row) as Any) \
            \(rows.decimal(column, row) as Any) \(reference as Any)
            """
    }

    @Test(arguments: [Seed(1), Seed(2), Seed(3)] + Seed.several(1))
    func `gathered rows say what their blocks say, and are packed as those are`(seed: Seed) throws {
        var dice = Dice(seed)
        for _ in 0..<50 {
            let blocks = (0..<3).map {
                batch(1 + dice.below(12), first: $0 * 100, isWhole: false, &dice).rows
            }
            let picked = (0..<dice.below(20)).map { _ in
                let block = blocks[dice.below(3)]
                return (block: block, row: dice.below(block.rowCount))
            }
            var gathered = GatheredRows(capacity: picked.count)
            for place in picked { gathered.append(place.block, place.row) }
            let rows = try gathered.packed(entity: 5, columns: Self.columns)
            #expect(rows.rowCount == picked.count && rows.entity == 5, "seed \(seed)")
            for (row, place) in picked.enumerated() {
                #expect(rows.primaryKey(row) == place.block.primaryKey(place.row), "seed \(seed)")
                #expect(rows.version(row) == place.block.version(place.row), "seed \(seed)")
                #expect(rows.leafEntity(row) == place.block.leafEntity(place.row), "seed \(seed)")
                for column in Self.columns {
                    #expect(
                        value(rows, column.property, row) == value(place.block, column.property, place.row),
                        "seed \(seed)")
                }
            }
            #expect(rows.columns.map(\.property) == Self.columns.map(\.property), "seed \(seed)")
            #expect(try PackedRows(rows.batch) == rows, "seed \(seed)")
        }
    }

    @Test(arguments: [Seed(1), Seed(2), Seed(3)] + Seed.several(1))
    func `newer values cover those of the columns that they have`(seed: Seed) throws {
        var dice = Dice(seed)
        for _ in 0..<50 {
            let old = batch(4, first: 1, isWhole: true, &dice).rows
            let newer = (0..<2).map { _ in batch(4, first: 1, isWhole: false, &dice).rows }
            var gathered = GatheredRows(capacity: 4)
            for row in 0..<4 {
                gathered.append(old, row)
                for block in newer.prefix(row) { gathered.cover(block, row) }
            }
            let rows = try gathered.packed(entity: 5, columns: Self.columns)
            for row in 0..<4 {
                let layers = [old] + newer.prefix(row)
                #expect(rows.version(row) == layers.last?.version(row), "seed \(seed)")
                for column in Self.columns {
                    let source = layers.last { $0.column(of: column.property, near: 0) != nil }
                    #expect(
                        value(rows, column.property, row)
                            == source.flatMap { value($0, column.property, row) },
                        "seed \(seed)")
                }
            }
        }
    }

    @Test func `a column of another kind than the gathered one is null`() throws {
        let numbers = RowBatch(
            rowCount: 1, entity: 1, primaryKeys: [1], versions: [1],
            columns: [Column(property: 0, values: .integers([7]))])
        var gathered = GatheredRows(capacity: 1)
        gathered.append(numbers.rows, 0)
        let shape = ColumnShape(property: 0, kind: .bytes)
        #expect(try gathered.packed(entity: 1, columns: [shape]).isNull(0, 0))
    }
}
