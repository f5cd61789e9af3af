#if canImport(Glibc)
import Glibc  // malloc and free
#endif

/// Rows in columns that never change, in one piece of memory: a packed `coffer.v1.RowBatch`, and what lies
/// where in it.
///
/// Stores pack them, the service sends them as they are, and contexts read values where they lie.
///
/// Shared: objects of any context of the process may read from it, each knowing the block and the number
/// of its row. A block lives while one of its rows is referenced, so the others' memory is wasted
/// meanwhile: at most one part of an answer for each object, which the service keeps to `Limits.part`
/// bytes, and nothing if objects go together, as the results of a fetch mostly do.
///
/// Columns go by their place in the block. Asking for a row or column that there is not is a mistake.
@safe package final class PackedRows: Sendable {
    /// How many rows.
    package let rowCount: Int
    /// How many columns.
    package let columnCount: Int
    /// The entity that the columns' property indices are of.
    package let entity: Int
    /// Whether rows have versions.
    package let hasVersions: Bool
    /// Whether rows have primary keys; those of dictionaries have none.
    package let hasKeys: Bool
    let layout: PackedLayout
    // Written before `init` returns, never after.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    /// Takes memory that `layout` describes: `PackedRowsBuilder` made both.
    init(_ layout: PackedLayout, memory: UnsafeMutableRawPointer) {
        self.layout = layout
        unsafe self.memory = unsafe memory
        rowCount = layout.rowCount
        columnCount = layout.columnCount
        entity = layout.entity
        hasKeys = layout.keys != 0
        hasVersions = layout.versions != 0
    }

    deinit { unsafe free(memory) }
}

extension PackedRows {
    /// The primary key of a row.
    @inline(__always)
    package func primaryKey(_ row: Int) -> Int64 {
        precondition(hasKeys && row >= 0 && row < rowCount)
        return unsafe memory.loadUnaligned(fromByteOffset: layout.keys + 8 * row, as: Int64.self)
    }

    /// Bytes that the rows take in memory.
    package var byteCount: Int { layout.byteCount }

    /// Bytes of their message.
    var messageByteCount: Int { layout.messageByteCount }

    /// Z_OPT of a row; 0 if it was not asked for.
    @inline(__always)
    package func version(_ row: Int) -> UInt32 {
        precondition(row >= 0 && row < rowCount)
        return hasVersions
            ? unsafe memory.loadUnaligned(fromByteOffset: layout.versions + 4 * row, as: UInt32.self) : 0
    }

    /// The leaf entity of a row.
    @inline(__always)
    package func leafEntity(_ row: Int) -> Int {
        precondition(row >= 0 && row < rowCount)
        if layout.entities == 0 { return entity }
        return unsafe Int(memory.loadUnaligned(fromByteOffset: layout.entities + 4 * row, as: UInt32.self))
    }

    /// Whether all rows are of `entity`.
    package var isUniform: Bool { layout.entities == 0 }

    /// The index of a column's property in the entity; in dictionaries the place in the properties asked for.
    package func property(_ column: Int) -> Int { Int(place(column).property) }

    /// The column of a property, which is mostly found at place `index`; `nil` if there is none.
    @inline(__always)
    package func column(of property: Int, near index: Int) -> Int? {
        if index < columnCount, self.property(index) == property { return index }
        return (0..<columnCount).first { self.property($0) == property }
    }

    /// Where a column lies.
    @inline(__always)
    func place(_ column: Int) -> ColumnOffsets {
        precondition(column >= 0 && column < columnCount)
        return unsafe memory.load(
            fromByteOffset: layout.places + column * MemoryLayout<ColumnOffsets>.stride,
            as: ColumnOffsets.self)
    }

    /// Where a column lies, if it is of `kind` and the row's value is not null.
    @inline(__always)
    func place(_ column: Int, _ row: Int, kind: ColumnKind) -> ColumnOffsets? {
        let place = place(column)
        guard place.kind == UInt8(truncatingIfNeeded: kind.rawValue), !isNull(place, row) else { return nil }
        return place
    }

    @inline(__always)
    func isNull(_ place: ColumnOffsets, _ row: Int) -> Bool {
        precondition(row >= 0 && row < rowCount)
        return place.nulls != 0 && bit(row, from: place.nulls)
    }

    /// Bit `row` of the bytes that begin at `offset`.
    @inline(__always)
    func bit(_ row: Int, from offset: UInt32) -> Bool {
        let byte = unsafe memory.load(fromByteOffset: Int(offset) + row / 8, as: UInt8.self)
        return byte & (1 << UInt8(row % 8)) != 0
    }

    /// Number `index` of those that begin at `offset`.
    @inline(__always)
    func number<Number: BitwiseCopyable>(_ index: Int, from offset: UInt32, as type: Number.Type) -> Number {
        unsafe memory.loadUnaligned(
            fromByteOffset: Int(offset) + index * MemoryLayout<Number>.size, as: type)
    }

    /// Bytes of the block.
    @inline(__always)
    func bytes(_ offset: Int, count: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: UnsafePointer((memory + offset).assumingMemoryBound(to: UInt8.self)), count: count)
    }
}
