import CofferModel
import CofferWire
import FoundationEssentials
import Testing

private let cases: [(AttributeType, [AttributeValue])] = [
    (.integer16, [.integer(-5), .null, .integer(.max)]), (.integer64, [.null, .integer(.min)]),
    (.boolean, [.boolean(true), .null, .boolean(false), .boolean(true)]),
    (.double, [.double(1.5), .null]), (.float, [.null, .float(-2)]),
    (.date, [.date(Date(timeIntervalSinceReferenceDate: 9)), .null]),
    (.string, [.string("Zürich"), .null, .string("")]), (.uri, [.uri("urn:x"), .null]),
    (.binary, [.binary([1, 2]), .null, .binary([])]), (.transformable, [.null, .transformable([7])]),
    (.uuid, [.uuid(UUID()), .null, .uuid(UUID())]), (.decimal, [.decimal(Decimal(-12.25)), .null]),
]

@Test func `a column gives back the values that were appended`() throws {
    for (type, values) in cases {
        var builder = ColumnBuilder(property: 3, type: type, capacity: 20)
        let all = Array([values, values, values, values].joined())
        for value in all { try builder.append(value) }
        #expect(builder.rowCount == all.count)
        let column = builder.finish()
        try column.check(rowCount: all.count)
        #expect(all.indices.map { column.value(at: $0, type: type) } == all)
        #expect(all.indices.map { column.isNull($0) } == all.map(\.isNull))
    }
}

@Test func `a column without nulls has no bitmap`() throws {
    var builder = ColumnBuilder(referencesOf: 1)
    builder.append(reference: 7, entity: 2)
    let column = builder.finish()
    #expect(column.nulls.isEmpty)
    #expect(column.reference(at: 0)?.key == 7 && column.reference(at: 0)?.entity == 2)
    #expect(column.int64(at: 0) == nil)
}

@Test func `values of another kind are refused, and the column is as before`() throws {
    var builder = ColumnBuilder(property: 3, type: .integer32)
    try builder.append(.integer(1))
    #expect(throws: WireError.self) { try builder.append(.string("1")) }
    #expect(builder.rowCount == 1)
    #expect(builder.finish().value(at: 0, type: .string) == .null)
}

@Test func `runs are appended in place`() {
    var builder = ColumnBuilder(property: 3, type: .binary)
    builder.appendRun { $0 += [1, 2] }
    builder.appendNull()
    builder.append(bytes: [9, 8, 7][1...])
    let column = builder.finish()
    #expect(column.bytes(at: 0) == [1, 2] && column.bytes(at: 1) == nil && column.bytes(at: 2) == [8, 7])
    #expect(column.withBytes(at: 2) { $0.count } == 2)
}

@Test func `columns that do not fit an attribute are refused`() throws {
    let wide = Column(property: 1, values: .integers([70_000]))
    try wide.check(.integer32)
    #expect(throws: WireError.self) { try wide.check(.integer16) }
    #expect(throws: WireError.self) { try wide.check(.string) }
    let text = Column(property: 1, values: .bytes(ByteRuns(data: [0xFF], ends: [1])))
    try text.check(.binary)
    #expect(throws: WireError.self) { try text.check(.string) }
    #expect(text.text(at: 0) == nil && text.value(at: 0, type: .string) == .string("\u{FFFD}"))
}

@Test(arguments: 0..<300 as Range<UInt64>)
func `decimals come back exactly`(seed: UInt64) {
    var dice = Dice(seed: seed)
    let decimal = dice.decimal()
    let parts = DecimalParts(decimal)
    #expect(parts.decimal == decimal, "seed \(seed)")
    var bytes: [UInt8] = [0, 0] + []
    bytes.removeAll()
    parts.append(to: &bytes)
    #expect(DecimalParts(row: 0, of: bytes) == parts)
}

@Test(arguments: [
    "0", "1", "-1", "99999999999999999999999999999999999999", "340282366920938463463374607431768211455",
    "-0.00000000000000000000000000000000000001", "1e127", "5e-128", "-12345.678900", "1000000",
])
func `decimals at the ends of their range come back exactly`(text: String) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(DecimalParts(decimal).decimal == decimal)
}

@Test func `equal decimals have equal parts, and NaN stays NaN`() throws {
    let long = try #require(Decimal(string: "1.500"))
    let short = try #require(Decimal(string: "1.5"))
    #expect(DecimalParts(long) == DecimalParts(short))
    #expect(DecimalParts(short) == DecimalParts(isNegative: false, exponent: -1, mantissa: 15))
    #expect(DecimalParts(.nan).decimal?.isNaN == true)
}
