import CofferModel
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc  // mmap
#endif

private let types: [AttributeType] = [
    .integer64, .boolean, .double, .date, .float, .string, .uri, .binary, .transformable, .uuid, .decimal,
]

@Test(arguments: [Seed(1), Seed(2), Seed(3)] + Seed.several(1))
func `a block says of every row what its batch says`(seed: Seed) throws {
    var dice = Dice(seed)
    for _ in 0..<50 {
        let batch = dice.batch()
        let block = try PackedRows(batch)
        try check(block, batch, seed)
        let reply = FetchReplyMessage(number: 7, count: UInt64(batch.rowCount), rows: batch.rows)
        let read = try FetchReplyMessage(packed: reply.packed())
        #expect(read.number == 7 && read.count == UInt64(batch.rowCount))
        try check(try #require(read.rows), batch, seed)
        #expect(try read.packed() == reply.packed(), "seed \(seed)")
        #expect(read.rows?.batch == batch, "seed \(seed)")
        let keys = try #require(try read.withoutValues().rows)
        #expect(keys.columnCount == 0 && keys.makePrimaryKeys() == batch.primaryKeys, "seed \(seed)")
        #expect(keys.batch.entities == batch.entities, "seed \(seed)")
        for row in 0..<batch.rowCount {
            #expect(keys.version(row) == (batch.versions.isEmpty ? 0 : batch.versions[row]), "seed \(seed)")
        }
    }
}

/// One row of the key 7, with what libprotobuf-c would not write before the key.
///
/// A count that is longer than need be, an entity 0, an empty run of entities, such a length.
@Test(
    arguments: [
        [0x08, 0x81, 0x00, 0x22, 0x08], [0x08, 0x01, 0x10, 0x00, 0x22, 0x08],
        [0x08, 0x01, 0x1A, 0x00, 0x22, 0x08], [0x08, 0x01, 0x22, 0x88, 0x00],
    ] as [[UInt8]])
func `rows that are not packed as ours are laid out again`(start: [UInt8]) throws {
    let key: [UInt8] = [7, 0, 0, 0, 0, 0, 0, 0]
    let read = try PackedRows(packed: start + key)
    #expect(read.makePrimaryKeys() == [7])
    #expect(try read.packed() == [0x08, 0x01, 0x22, 0x08] + key)
}

/// Longer than texts mostly may be.
@Test func `a plan tells SQL of any length`() throws {
    let reply = ExplainReplyMessage(sql: String(repeating: "?, ", count: 40_000), plan: ["SCAN ZNOTE"])
    #expect(try ExplainReplyMessage(packed: reply.packed()) == reply)
}

private func check(_ block: PackedRows, _ batch: RowBatch, _ seed: Seed) throws {
    #expect(block.rowCount == batch.rowCount && block.columnCount == batch.columns.count, "seed \(seed)")
    #expect(block.makePrimaryKeys() == batch.primaryKeys, "seed \(seed)")
    for row in 0..<batch.rowCount {
        #expect(block.leafEntity(row) == batch.leafEntity(row), "seed \(seed)")
        #expect(block.version(row) == (batch.versions.isEmpty ? 0 : batch.versions[row]), "seed \(seed)")
        for (place, column) in batch.columns.enumerated() {
            #expect(block.property(place) == column.property, "seed \(seed)")
            #expect(block.isNull(place, row) == column.isNull(row), "seed \(seed)")
            for type in types {
                #expect(
                    "\(block.value(place, row, type: type))" == "\(column.value(at: row, type: type))",
                    "seed \(seed)")
            }
            #expect(block.reference(place, row)?.key == column.reference(at: row)?.key, "seed \(seed)")
        }
    }
}

@Test(arguments: [Seed(1), Seed(2)] + Seed.several(2))
func `a reply whose bytes were changed is refused or read, and never traps`(seed: Seed) throws {
    var dice = Dice(seed)
    var readCount = 0
    for _ in 0..<200 {
        let batch = dice.batch()
        let reply = FetchReplyMessage(number: 7, count: UInt64(batch.rowCount), rows: batch.rows)
        let packed = try reply.packed()
        for _ in 0..<10 {
            var bytes = packed
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if dice.flag() { bytes.removeLast(dice.below(bytes.count)) }
            guard let rows = (try? FetchReplyMessage(packed: bytes))?.rows else { continue }
            readCount += 1
            #expect(rows.batch.rowCount == rows.rowCount, "seed \(seed)")
            for row in 0..<min(rows.rowCount, 100) {
                for column in 0..<rows.columnCount {
                    for type in types { _ = rows.value(column, row, type: type) }
                    _ = rows.reference(column, row)
                }
                _ = (rows.version(row), rows.leafEntity(row))
            }
        }
    }
    #expect(readCount > 0, "seed \(seed)")
}

@Test func `text that is not UTF-8, as a whole or in its runs, is repaired`() throws {
    let whole: [UInt8] = Array("aéz".utf8)
    for (data, ends) in [(whole, [2, 4] as [UInt32]), ([0x61, 0xFF, 0x62], [1, 3]), (whole, [1, 4])] {
        let column = Column(property: 0, values: .bytes(ByteRuns(data: data, ends: ends)))
        let block = try PackedRows(RowBatch(rowCount: 2, columns: [column]))
        for row in 0..<2 {
            #expect(block.text(0, row).map(AttributeValue.string) == column.value(at: row, type: .string))
        }
    }
}

@Test(arguments: [Seed(1), Seed(2)] + Seed.several(1))
func `runs of ASCII, characters and bytes that are none are read as Swift reads them`(seed: Seed) throws {
    var dice = Dice(seed)
    let pieces = ["a", "plain text, a good deal longer", "é", "ø", "Zürich", "€", "😀", "\u{0}"].map {
        Array($0.utf8)
    }
    let oddities: [[UInt8]] = [
        [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80],
    ]
    for _ in 0..<300 {
        let isSound = dice.below(2) == 0
        let runs = (0..<(1 + dice.below(6))).map { _ in
            (0..<dice.below(9)).flatMap { _ in
                !isSound && dice.below(12) == 0
                    ? oddities[dice.below(oddities.count)] : pieces[dice.below(pieces.count)]
            }
        }
        var ends: [UInt32] = []
        for run in runs { ends.append((ends.last ?? 0) + UInt32(run.count)) }
        let column = Column(property: 0, values: .bytes(ByteRuns(data: runs.flatMap(\.self), ends: ends)))
        let block = try PackedRows(RowBatch(rowCount: runs.count, columns: [column]))
        for (row, run) in runs.enumerated() {
            #expect(block.text(0, row) == String(decoding: run, as: UTF8.self), "seed \(seed)")
        }
    }
}

@Test func `a block refuses columns that do not fit its rows`() {
    let columns: [ColumnValues] = [
        .integers([1]), .bits([1, 2]), .doubles([]), .floats([1, 2, 3]), .uuids([1]), .decimals([1]),
        .bytes(ByteRuns(data: [1], ends: [1, 0])), .bytes(ByteRuns(data: [1], ends: [1, 2])),
        .references(keys: [1, 2], entities: [1]),
    ]
    for values in columns {
        let batch = RowBatch(rowCount: 2, columns: [Column(property: 0, values: values)])
        #expect(throws: WireError.self) { try PackedRows(batch) }
    }
    #expect(throws: WireError.self) { try PackedRows(RowBatch(rowCount: 2, primaryKeys: [1])) }
}

@Test func `ends that are not whole numbers are refused, and nothing behind them is read`() async {
    await #expect(processExitsWith: .exitCode(3)) {
        let page = sysconf(Int32(_SC_PAGESIZE))
        let (kind, access) = (MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE)
        guard let memory = unsafe mmap(nil, 2 * page, access, kind, -1, 0),
            unsafe munmap(memory + page, page) == 0
        else { exit(1) }
        var builder = try PackedRowsBuilder(rowCount: 1, entity: 0, columnCount: 1, byteCount: 64)
        let ends = unsafe UnsafeRawBufferPointer(start: memory + page - 5, count: 5).bytes
        do throws(WireError) {
            try builder.add(0, .bytes, nulls: RawSpan(), values: RawSpan(), ends: ends)
        } catch {
            exit(3)
        }
    }
}

@Test(arguments: [Seed(1), Seed(2)] + Seed.several(1))
func `a set of keys is as a set of numbers`(seed: Seed) {
    var dice = Dice(seed)
    var keys = PrimaryKeySet()
    var model: Set<Int64> = []
    for _ in 0..<300 {
        let start = Int64(dice.below(20_000))
        let some = (0..<Int64(dice.below(300))).map { start + $0 * Int64(1 + dice.below(3)) } + [-1]
        if dice.flag() {
            keys.insert(some)
            model.formUnion(some.filter { $0 >= 0 })
        } else {
            keys.remove(some)
            model.subtract(some)
        }
        #expect(keys.count == model.count && keys.contains(start) == model.contains(start), "seed \(seed)")
    }
    #expect(keys.keys == model.sorted(), "seed \(seed)")
    keys.remove(keys.keys)
    #expect(keys.isEmpty && keys.pageCount == 0 && !keys.contains(-1), "seed \(seed)")
}

@Test func `a set of keys takes at most the pages that it may`() {
    var keys = PrimaryKeySet()
    let sparse = (0..<10).map { Int64($0) * 4_096 }
    let isWhole = keys.insert(sparse, pageLimit: 4)
    #expect(!isWhole)
    #expect(keys.pageCount == 4 && keys.count == 4)
    let fits = keys.insert([1, 2, 3], pageLimit: 4)
    #expect(fits)
}

@Test func `a column with fields of another kind is read by its own`() throws {
    let numbers: [Int64] = [5, -6]
    let run = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    // Kind, integers, and bytes that do not belong to an integer.
    let column: [UInt8] = [0x10, 1, 0x22, 16] + run + [0x3A, 1, 0xFF]
    let batch: [UInt8] = [0x08, 2, 0x32, UInt8(column.count)] + column
    let read = try FetchReplyMessage(packed: [0x1A, UInt8(batch.count)] + batch)
    let rows = try #require(read.rows)
    #expect(rows.int64(0, 0) == 5 && rows.int64(0, 1) == -6)
    let integers = Column(property: 0, values: .integers(numbers))
    #expect(rows.batch == RowBatch(rowCount: 2, columns: [integers]))
}
