import CofferModel
import CofferStores
import CofferWire
import Testing

/// Regular expressions of a model, which the client that makes the store writes.
@Suite struct ExpressionTests {
    private func withExpression(_ pattern: String, _ body: (Bench) throws -> Void) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Word",
                attributes: [
                    AttributeDefinition(
                        "text", .string, isOptional: true, validation: .init(regularExpression: pattern))
                ])
        ])
        try withStore(model, body)
    }

    private func save(_ text: String?, _ bench: Bench) throws -> SaveReplyMessage {
        let word = try bench.insert("Word", [bench.text("Word", "text", [text])])
        return try bench.execute(bench.request(inserts: [word])).reply
    }

    @Test
    func `an expression with many ways to fail is tried in linear time`() throws {
        try withExpression("(a|aa)+b") { bench in
            let text = String(repeating: "a", count: 5_000)
            guard case .invalid(let failures) = try save(text, bench) else {
                Issue.record("it was saved")
                return
            }
            #expect(failures.map(\.reason) == [.noMatch])
            guard case .saved = try save(text + "b", bench) else {
                Issue.record("it was not saved")
                return
            }
        }
    }

    @Test(arguments: ["(?=.*x).+", "(a)\\1", "(a", "[[:alpha:]"])
    func `an expression that cannot be matched refuses values, and says why`(pattern: String) throws {
        try withExpression(pattern) { (bench: Bench) throws in
            let error = #expect(throws: StoreError.self) { _ = try save("aa", bench) }
            guard case .unsupported(_, _, let detail)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(detail.contains("expression"))
            #expect(try bench.query("SELECT count(*) FROM ZWORD") == ["0"])
        }
    }
}
