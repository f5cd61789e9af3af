/// A column that rows are to have.
package struct ColumnShape: Sendable, Equatable {
    /// Index of the property in the rows' entity.
    package let property: Int
    /// How its values are packed.
    package let kind: ColumnKind

    /// A column from its fields.
    package init(property: Int, kind: ColumnKind) {
        self.property = property
        self.kind = kind
    }
}

/// Rows of some blocks on their way into one of their own, each perhaps under newer values of some of its
/// properties.
///
/// All have keys and versions.
package struct GatheredRows {
    private struct Layer {
        let rows: PackedRows
        let row: Int
    }

    /// What the rows are made of; of a property the last layer counts that has a column of it.
    private var layers: [Layer] = []
    /// Where the layers of each row end.
    private var ends: [Int] = []

    /// Nothing yet, with room for so many rows.
    package init(capacity: Int) {
        layers.reserveCapacity(capacity)
        ends.reserveCapacity(capacity)
    }

    /// How many rows there are.
    package var rowCount: Int { ends.count }

    /// Adds a row of a block.
    package mutating func append(_ rows: PackedRows, _ row: Int) {
        layers.append(Layer(rows: rows, row: row))
        ends.append(layers.count)
    }

    /// Lays a newer version of the row that was added last over it, which may lack properties that did not
    /// change.
    package mutating func cover(_ rows: PackedRows, _ row: Int) {
        layers.append(Layer(rows: rows, row: row))
        ends[ends.count - 1] = layers.count
    }

    /// The rows as a block of `entity`, with these columns: what a row has no column of is null.
    ///
    /// - Throws: `WireError.tooLarge` if there is no memory, or they pass 4 GiB.
    package func packed(entity: Int, columns: [ColumnShape]) throws(WireError) -> PackedRows {
        var byteCount = 16 * rowCount
        var sizes: [Size] = []
        sizes.reserveCapacity(columns.count)
        for place in columns.indices {
            let size = size(columns[place], place)
            sizes.append(size)
            byteCount += size.byteCount
        }
        guard byteCount <= Int(UInt32.max) else {
            throw .tooLarge(what: "\(PackedRows.name)", byteCount: byteCount, limit: Limits.message)
        }
        var builder = try PackedRowsBuilder(
            rowCount: rowCount, entity: entity, columnCount: columns.count, byteCount: byteCount)
        try addIdentities(to: &builder, entity)
        for place in columns.indices { builder.add(columns[place], at: place, of: self, size: sizes[place]) }
        return builder.finish()
    }

    private func addIdentities(to builder: inout PackedRowsBuilder, _ entity: Int) throws(WireError) {
        var (keys, versions, entities): ([Int64], [UInt32], [UInt32]) = ([], [], [])
        keys.reserveCapacity(rowCount)
        versions.reserveCapacity(rowCount)
        for end in ends {
            let top = layers[end - 1]
            keys.append(top.rows.primaryKey(top.row))
            versions.append(top.rows.version(top.row))
            let leaf = top.rows.leafEntity(top.row)
            if entities.isEmpty, leaf == entity { continue }
            while entities.count < keys.count - 1 { entities.append(UInt32(entity)) }
            entities.append(UInt32(leaf))
        }
        try builder.add(keys: keys, versions: versions, entities: entities)
    }
}

extension GatheredRows {
    /// How many bytes the parts of a column take.
    fileprivate struct Size {
        var nulls = 0
        var values = 0
        var ends = 0
        /// What its text is known to be: what the least known of its runs is.
        var text = ColumnOffsets.Text.ascii

        var byteCount: Int { nulls + values + ends }
    }

    /// A value that is not null.
    fileprivate struct Cell {
        let rows: PackedRows
        let place: ColumnOffsets
        let row: Int
    }

    /// The value of a row in the column at a place; `nil` for null.
    @inline(__always)
    fileprivate func cell(row: Int, column: ColumnShape, at place: Int) -> Cell? {
        let start = row == 0 ? 0 : ends[row - 1]
        var end = ends[row]
        while end > start {
            end -= 1
            let rows = layers[end].rows
            guard let index = rows.column(of: column.property, near: place) else { continue }
            return rows.place(index, layers[end].row, kind: column.kind).map {
                Cell(rows: rows, place: $0, row: layers[end].row)
            }
        }
        return nil
    }

    private func size(_ column: ColumnShape, _ place: Int) -> Size {
        var size = Size()
        let fixed = column.kind.valueByteCount(rowCount: rowCount)
        size.values = fixed ?? 0
        for row in 0..<rowCount {
            guard let cell = cell(row: row, column: column, at: place) else {
                size.nulls = (rowCount + 7) / 8
                continue
            }
            if fixed != nil { continue }
            size.values += unsafe cell.rows.run(cell.place, cell.row).count
            if cell.place.text.rawValue < size.text.rawValue { size.text = cell.place.text }
        }
        if column.kind.endsField != 0 { size.ends = 4 * rowCount }
        return size
    }
}

extension PackedRowsBuilder {
    /// Adds the next column, of which `size` says how large it is.
    fileprivate mutating func add(
        _ column: ColumnShape, at index: Int, of rows: borrowing GatheredRows, size: GatheredRows.Size
    ) {
        var place = ColumnOffsets(
            property: UInt32(truncatingIfNeeded: column.property),
            kind: UInt8(truncatingIfNeeded: column.kind.rawValue), text: size.text)
        begin(place, nulls: size.nulls, values: size.values, ends: size.ends)
        // Nulls are zeros.
        place.nulls = UInt32(reserveZeros(3, byteCount: size.nulls))
        place.values = UInt32(reserveZeros(column.kind.valuesField, byteCount: size.values))
        place.ends = UInt32(reserveZeros(column.kind.endsField, byteCount: size.ends))
        var end: UInt32 = 0
        for row in 0..<rows.rowCount {
            if let cell = rows.cell(row: row, column: column, at: index) {
                copy(cell, to: row, of: place, kind: column.kind, end: &end)
            } else {
                set(row, in: place.nulls)
            }
            if column.kind == .bytes { store(end, row, at: place.ends) }
        }
        self.end(place)
    }

    @inline(__always)
    private mutating func copy(
        _ cell: GatheredRows.Cell, to row: Int, of place: ColumnOffsets, kind: ColumnKind,
        end: inout UInt32
    ) {
        let rows = cell.rows
        switch kind {
        case .bits: if rows.bit(cell.row, from: cell.place.values) { set(row, in: place.values) }
        case .integers, .doubles:
            store(rows.number(cell.row, from: cell.place.values, as: UInt64.self), row, at: place.values)
        case .floats:
            store(rows.number(cell.row, from: cell.place.values, as: UInt32.self), row, at: place.values)
        case .references:
            store(rows.number(cell.row, from: cell.place.values, as: UInt64.self), row, at: place.values)
            store(rows.number(cell.row, from: cell.place.ends, as: UInt32.self), row, at: place.ends)
        case .uuids: copy(16, of: cell, to: row, of: place)
        case .decimals: copy(DecimalParts.byteCount, of: cell, to: row, of: place)
        case .bytes:
            let run = unsafe rows.run(cell.place, cell.row)
            unsafe copy(UnsafeRawBufferPointer(run), to: Int(place.values) + Int(end))
            end += UInt32(run.count)
        }
    }

    @inline(__always)
    private mutating func copy(_ width: Int, of cell: GatheredRows.Cell, to row: Int, of place: ColumnOffsets)
    {
        let value = unsafe cell.rows.bytes(Int(cell.place.values) + width * cell.row, count: width)
        unsafe copy(UnsafeRawBufferPointer(value), to: Int(place.values) + width * row)
    }
}
