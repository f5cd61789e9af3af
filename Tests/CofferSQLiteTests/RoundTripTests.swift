import CofferSQLite
import TestSupport
import Testing

struct RoundTripTests {
    /// What was bound to one parameter.
    enum Value: Equatable {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])
    }

    @Test(arguments: Seed.several(8))
    func `parameters bound in any order and size come back`(seed: Seed) throws {
        var random = seed.generator()
        try withDatabase { connection in
            let count = 6
            let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6")
            var expected = [Value](repeating: .null, count: count)
            for _ in 0..<60 {
                for _ in 0..<Int.random(in: 0..<4, using: &random) {
                    let index = Int.random(in: 0..<count, using: &random)
                    expected[index] = try bindSomething(to: statement, at: index + 1, &random)
                }
                #expect(try statement.step())
                #expect((0..<count).map { read(statement, $0) } == expected, "seed \(seed)")
                if Bool.random(using: &random) { #expect(try !statement.step()) } else { statement.reset() }
            }
        }
    }

    private func bindSomething(
        to statement: SQLiteStatement, at index: Int, _ random: inout SeededGenerator
    ) throws -> Value {
        let size = [0, 1, 31, 32, 33, 4_095, 4_096, 4_097, 9_000].randomElement(using: &random) ?? 0
        let bytes = (0..<size + 8).map { _ in UInt8.random(in: 0...127, using: &random) }
        let range = 3..<3 + size
        let part = Array(bytes[range])
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            try statement.bindNull(at: index)
            return .null
        case 1:
            let value = Int64.random(in: .min ... .max, using: &random)
            try statement.bind(value, at: index)
            return .integer(value)
        case 2:
            let value = Double.random(in: -1e300...1e300, using: &random)
            try statement.bind(value, at: index)
            return .real(value)
        case 3: try statement.bind(String(decoding: part, as: UTF8.self), at: index)
        case 4: try statement.bindText(bytes, range: range, at: index)
        case 5: try unsafe statement.bindText(part.span.bytes, at: index)
        case 6:
            try statement.bindBlob(bytes, range: range, at: index)
            return .blob(part)
        default:
            try statement.bind(part, at: index)
            return .blob(part)
        }
        return .text(part)
    }

    private func read(_ statement: SQLiteStatement, _ column: Int) -> Value {
        switch statement.type(column) {
        case .null: return .null
        case .integer: return .integer(statement.int64(column))
        case .real: return .real(statement.double(column))
        case .text:
            var bytes: [UInt8] = []
            statement.appendText(column, to: &bytes)
            return .text(bytes)
        case .blob: return .blob(statement.blob(column))
        }
    }
}
