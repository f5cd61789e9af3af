import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import Testing

/// Decimals that no double, or no shortest form of one, equals.
@Suite struct DecimalTests {
    private static let texts = [
        "12345678901234567", "-12345678901234567", "1.0000000000000000001", "100000000000000020",
        "9007199254740993", "9223372036854775807", "9223372036854775809", "-9223372036854775808", "3",
        "0.1", "12345678901234567.89", "1e30", "1234567890123456789012345678901234567e-20",
    ]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Account") {
                Field("number", .integer32)
                Field("balance", .decimal).optional()
                One("owner", "Person", inverse: "account")
            }
            Entity("Person") {
                Field("number", .integer32)
                Field("name", .string).optional()
                One("account", "Account", inverse: "owner")
            }
        }
    }

    private func balances(_ context: ManagedObjectContext) throws -> [AttributeValue] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Account").sorted(by: "number")).map {
            $0["balance"]
        }
    }

    @Test(arguments: Backing.all)
    func `every digit of a decimal is read back, however it is read`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let all = try Self.texts.map { AttributeValue.decimal(try #require(Decimal(string: $0))) }
            for (number, value) in all.enumerated() {
                let account = try context.make(
                    "Account", ["number": .integer(Int64(number)), "balance": value])
                let person = try context.make("Person", ["number": .integer(Int64(number))])
                try person.setObjects([account], forKey: "account")
            }
            try context.save()
            #expect(try balances(container.newContext()) == all)
            context.refreshAllObjects()
            #expect(try balances(context) == all)
            var people = FetchRequest<ManagedObject>(entityName: "Person").sorted(by: "number")
            people.propertiesToFetch = ["account.balance"]
            let paths = try context.fetchDictionaries(people)
            #expect(paths.map { $0["account.balance"] } == all)
            var accounts = FetchRequest<ManagedObject>(entityName: "Account").sorted(by: "number")
            accounts.expressionsToFetch = [NamedExpression("b", .keyPath(["balance"]))]
            #expect(try context.fetchDictionaries(accounts).map { $0["b"] } == all)
        }
    }

    @Test(arguments: Backing.all)
    func `an unchanged decimal does not conflict`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let (mine, theirs) = (container.newContext(), container.newContext())
            mine.mergePolicy = .mergeByPropertyStoreTrump
            mine.automaticallyMergesChanges = false
            let exact = AttributeValue.decimal(try #require(Decimal(string: "12345678901234567")))
            let account = try theirs.make("Account", ["number": 1, "balance": exact])
            try theirs.save()
            let twin = try mine.existingObject(with: account.objectID)
            #expect(twin["balance"] == exact)
            account["number"] = 2
            try theirs.save()
            twin["balance"] = .decimal(5)
            try mine.save()
            #expect(try balances(container.newContext()) == [.decimal(5)])
        }
    }
}
