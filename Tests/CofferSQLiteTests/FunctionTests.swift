import CofferSQLite
import Testing

struct FunctionTests {
    @Test func `a function of ours is called with every type`() throws {
        try withDatabase { connection in
            try connection.registerFunction(
                name: "echo", arguments: 1, isDeterministic: true, isInnocuous: true
            ) {
                switch $0.type(0) {
                case .integer: .integer($0.int64(0))
                case .real: .real($0.double(0))
                case .text: .text($0.text(0))
                case .blob: .blob($0.blob(0))
                case .null: .null
                }
            }
            let row = try connection.prepare(
                "SELECT echo(1), echo(0.5), echo('ü'), echo(x'00ff'), echo(NULL), typeof(echo('')), length(echo(x''))"
            )
            #expect(try row.step())
            #expect(row.int64(0) == 1 && row.double(1) == 0.5 && row.text(2) == "ü")
            #expect(row.blob(3) == [0, 255] && row.isNull(4) && row.text(5) == "text" && row.int64(6) == 0)
            #expect(row.type(6) == .integer)
        }
    }

    @Test func `a function fails its statement with its message`() throws {
        try withDatabase { connection in
            try connection.registerFunction(
                name: "no", arguments: -1, isDeterministic: true, isInnocuous: true
            ) {
                .failure("no, \($0.count) times")
            }
            let error = #expect(throws: SQLiteError.self) { try connection.prepare("SELECT no(1, 2)").run() }
            guard case .failed(1, _, "no, 2 times", "SELECT no(1, 2)") = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
        }
    }

    @Test func `a function goes with its connection`() throws {
        final class Witness {}
        weak var witness: Witness?
        try withDatabase { connection in
            let kept = Witness()
            witness = kept
            try connection.registerFunction(
                name: "kept", arguments: 0, isDeterministic: true, isInnocuous: true
            ) { _ in
                withExtendedLifetime(kept) { .null }
            }
            #expect(witness != nil)
        }
        #expect(witness == nil)
    }
}
