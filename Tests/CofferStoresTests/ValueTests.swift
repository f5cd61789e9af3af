import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct ValueTests {
    private static func model() throws -> ManagedObjectModel {
        var attributes = AttributeType.allCases.map {
            AttributeDefinition("a\($0.rawValue)", $0, isOptional: true)
        }
        attributes.append(
            AttributeDefinition("external", .binary, isOptional: true, allowsExternalStorage: true))
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Thing", attributes: attributes, relationships: [RelationshipDefinition("other", to: "Thing")]
            )
        ])
    }

    /// Random columns for all attributes; about every fourth value is null.
    private func columns(_ rows: Int, _ bench: Bench, _ generator: inout SeededGenerator) throws -> [Column] {
        var columns: [Column] = []
        for attribute in try bench.entity("Thing").attributes {
            var nulls = [UInt8](repeating: 0, count: (rows + 7) / 8)
            for row in 0..<rows where Int.random(in: 0..<4, using: &generator) == 0 {
                nulls[row / 8] |= 1 << UInt8(row % 8)
            }
            let isNull = { (row: Int) in nulls[row / 8] & 1 << UInt8(row % 8) != 0 }
            let values: ColumnValues
            switch attribute.type {
            case .integer16, .integer32, .integer64:
                let range = attribute.type.integerRange ?? 0...0
                values = .integers((0..<rows).map { isNull($0) ? 0 : .random(in: range, using: &generator) })
            case .boolean:
                var bits = [UInt8](repeating: 0, count: (rows + 7) / 8)
                for row in 0..<rows where !isNull(row) && Bool.random(using: &generator) {
                    bits[row / 8] |= 1 << UInt8(row % 8)
                }
                values = .bits(bits)
            case .double, .date:
                values = .doubles(
                    (0..<rows).map { isNull($0) ? 0 : .random(in: -1e9...1e9, using: &generator) })
            case .float:
                values = .floats(
                    (0..<rows).map { isNull($0) ? 0 : .random(in: -1e6...1e6, using: &generator) })
            case .string, .uri, .binary, .transformable:
                var runs = ByteRuns()
                for row in 0..<rows {
                    let length = Int.random(in: 0..<20, using: &generator)
                    if !isNull(row) {
                        let isText = attribute.type == .string || attribute.type == .uri
                        runs.data +=
                            isText
                            ? Array(String("héllo wörld, 日本".prefix(length)).utf8) : generator.bytes(length)
                    }
                    runs.ends.append(UInt32(runs.data.count))
                }
                values = .bytes(runs)
            case .uuid:
                values = .uuids(
                    (0..<rows).flatMap { isNull($0) ? [UInt8](repeating: 0, count: 16) : generator.bytes(16) }
                )
            case .decimal:
                var bytes: [UInt8] = []
                for row in 0..<rows {
                    let digits = String(UInt64.random(in: 1...UInt64.max, using: &generator))
                    let text =
                        isNull(row) ? "0" : "-\(digits)7e\(Int.random(in: -60...60, using: &generator))"
                    try #require(DecimalParts(text: text)).append(to: &bytes)
                }
                values = .decimals(bytes)
            }
            columns.append(Column(property: attribute.index, nulls: nulls, values: values))
        }
        return columns
    }

    @Test(arguments: Seed.several(3))
    func `every kind of value comes back as it was saved`(_ seed: Seed) throws {
        print("seed \(seed)")
        try withStore(Self.model()) { bench in
            var generator = seed.generator()
            let rows = 20
            let columns = try columns(rows, bench, &generator)
            try bench.save(inserts: [bench.insert("Thing", columns, count: rows)])
            // A conflict shows the stored row with all its values.
            let group = UpdateGroup(
                entity: try bench.entity("Thing").index, primaryKeys: (1...Int64(rows)).map(\.self),
                versions: Array(repeating: 9, count: rows), columns: [columns[0]])
            let execution = try bench.execute(bench.request(updates: [group]))
            guard case .conflicts(let conflicts) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(conflicts.count == rows)
            for (row, conflict) in conflicts.enumerated() {
                let stored = try #require(conflict.stored)
                for column in columns {
                    let read = try #require(stored.columns.first { $0.property == column.property })
                    #expect(value(read, 0) == value(column, row))
                }
            }
            #expect(try bench.query("SELECT count(*) > 0 FROM COFFER_DECIMAL") == ["1"])
            try bench.save(deletes: [bench.delete("Thing", (1...Int64(rows)).map(\.self))])
            #expect(try bench.query("SELECT count(*) FROM COFFER_DECIMAL") == ["0"])
        }
    }

    private func value(_ column: Column, _ row: Int) -> String {
        if column.isNull(row) { return "null" }
        return switch column.values {
        case .integers(let values): "\(values[row])"
        case .bits(let bits): "\(bits[row / 8] >> UInt8(row % 8) & 1)"
        case .doubles(let values): "\(values[row])"
        case .floats(let values): "\(values[row])"
        case .bytes(let runs): "\(Array(runs.data[runs.range(row)]))"
        case .uuids(let bytes): "\(Array(bytes[(16 * row)..<(16 * row + 16)]))"
        case .decimals(let bytes): DecimalParts(bytes, row: row).text
        case .references(let keys, let entities): "\(keys[row]) \(entities[row])"
        }
    }

    @Test(arguments: [
        ("0.1", false), ("12.50", false), ("-3", false), ("12345678901234567890123", true),
        ("0.1234567890123456789012345", true), ("1e100", false), ("0", false), ("9007199254740993", true),
        ("100000000000000020", true), ("1.0000000000000000001", true),
    ])
    func `a decimal keeps its digits beside the number only where they are needed`(
        _ text: String, _ needed: Bool
    ) throws {
        for power in [Int.min, Int.max, 10_000] { #expect(DecimalParts(text: "1e\(power)") == nil) }
        let decimal = try #require(DecimalParts(text: text))
        #expect((decimal.digitsBesideDouble != nil) == needed)
        #expect(DecimalParts(number: decimal.double, digits: decimal.digitsBesideDouble) == decimal)
        // Digits that a foreign writer's number has outdated do not count.
        #expect(DecimalParts(number: 0.5, digits: text) == DecimalParts(text: "0.5"))
        var bytes: [UInt8] = []
        decimal.append(to: &bytes)
        #expect(DecimalParts(bytes, row: 0) == decimal)
    }

    @Test func `data that may live in files is marked as inline`() throws {
        try withStore(Self.model()) { bench in
            let column = Column(
                property: try bench.property("Thing", "external"),
                values: .bytes(ByteRuns(data: [0xAB, 0xCD], ends: [2])))
            try bench.save(inserts: [bench.insert("Thing", [column])])
            #expect(try bench.query("SELECT ZEXTERNAL FROM ZTHING") == ["01abcd"])
        }
    }

    /// NaN in every type that has it: by the attribute's name.
    private static let noNumbers: [(String, ColumnValues)] = [
        ("double", .doubles([.nan])), ("date", .doubles([.nan])), ("float", .floats([.nan])),
        ("decimal", .decimals([1] + [UInt8](repeating: 0, count: 17))),
    ]

    private static func numbers(isOptional: Bool) throws -> ManagedObjectModel {
        let types: [(String, AttributeType)] = [
            ("double", .double), ("date", .date), ("float", .float), ("decimal", .decimal),
        ]
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Number",
                attributes: types.map { name, type in
                    AttributeDefinition(
                        name, type, isOptional: isOptional, validation: .init(minimum: 1, maximum: 9))
                })
        ])
    }

    @Test(arguments: [false, true])
    func `NaN is refused, whether there must be a value or not`(isOptional: Bool) throws {
        try withStore(Self.numbers(isOptional: isOptional)) { bench in
            func failures(_ request: SaveRequestMessage) throws -> [String] {
                guard case .invalid(let failures) = try bench.execute(request).reply else { return [] }
                #expect(failures.allSatisfy { $0.reason == .outOfRange })
                return failures.map(\.property).sorted()
            }
            let bad = try Self.noNumbers.map { name, values in
                Column(property: try bench.property("Number", name), values: values)
            }
            let names = ["date", "decimal", "double", "float"]
            #expect(try failures(bench.request(inserts: [bench.insert("Number", bad)])) == names)
            var two: [UInt8] = []
            try #require(DecimalParts(text: "2")).append(to: &two)
            try bench.save(inserts: [
                bench.insert(
                    "Number",
                    [
                        Column(property: bench.property("Number", "double"), values: .doubles([2])),
                        Column(property: bench.property("Number", "date"), values: .doubles([2])),
                        Column(property: bench.property("Number", "float"), values: .floats([2])),
                        Column(property: bench.property("Number", "decimal"), values: .decimals(two)),
                    ])
            ])
            for (column, name) in zip(bad, Self.noNumbers.map(\.0)) {
                let update = try bench.update("Number", 1, version: 1, [column])
                #expect(try failures(bench.request(updates: [update])) == [name])
            }
        }
    }

    @Test func `the digits of what is not a number are none that a file takes, and not those of 0`() throws {
        #expect(DecimalParts(.nan).digits == "NaN" && DecimalParts(text: "NaN") == nil)
        #expect(DecimalParts(0).digits == "0")
    }

    @Test func `a decimal whose sign is neither plus nor minus is refused`() throws {
        try withStore(Self.numbers(isOptional: true)) { bench in
            for sign: UInt8 in [2, 255] {
                let bytes = [sign, 0, 5] + [UInt8](repeating: 0, count: 15)
                let column = Column(
                    property: try bench.property("Number", "decimal"), values: .decimals(bytes))
                #expect(throws: StoreError.self) {
                    try bench.save(inserts: [bench.insert("Number", [column])])
                }
            }
        }
    }
}
