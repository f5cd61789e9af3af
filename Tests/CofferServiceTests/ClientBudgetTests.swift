import CofferModel
import CofferService
import CofferStores
import Synchronization
import TestSupport
import Testing

@Suite struct ClientBudgetTests {
    private static let mebibyte = 1 << 20

    private func budget(channels: Int = 1) -> ClientBudget {
        let budget = ClientBudget(of: ClientBudget.AllSpilled())
        budget.channels.add(channels, ordering: .relaxed)
        return budget
    }

    /// More of each kind than all channels of a client may have, and as much as they may.
    private static let limits: [(most: OutboundSize, tooMuch: OutboundSize)] = [
        (OutboundSize(bytes: 8 * mebibyte), OutboundSize(bytes: 8 * mebibyte + 1)),
        (OutboundSize(memory: 128 * mebibyte), OutboundSize(memory: 128 * mebibyte + 1)),
        (OutboundSize(frames: 16_384), OutboundSize(frames: 16_385)),
        (OutboundSize(descriptors: 16), OutboundSize(descriptors: 17)),
    ]

    @Test(arguments: limits.indices)
    func `a single channel is stopped by more than a client may leave unread, until that is read`(kind: Int) {
        let budget = budget()
        let (most, tooMuch) = Self.limits[kind]
        budget.count(most)
        #expect(!budget.isExceeded(by: most))
        budget.count(-most)
        budget.count(tooMuch)
        #expect(budget.isExceeded(by: tooMuch))
        budget.count(-tooMuch)
        #expect(!budget.isExceeded(by: OutboundSize()))
    }

    @Test func `of several channels only those are stopped that hold more than their share`() {
        let budget = budget(channels: 4)
        let large = OutboundSize(bytes: 7 * Self.mebibyte)
        let small = OutboundSize(bytes: 2 * Self.mebibyte)  // A quarter, and no more.
        budget.count(large)
        budget.count(small)
        #expect(budget.isExceeded(by: large))
        #expect(!budget.isExceeded(by: small))
        budget.count(OutboundSize(bytes: -2 * Self.mebibyte))
        #expect(
            !budget.isExceeded(by: OutboundSize(bytes: 5 * Self.mebibyte)), "all together hold little enough")
    }

    @Test func `where all channels together hold too much, there is one that is stopped`() {
        var dice = Seed.printed(for: "channels of a budget").generator()
        for _ in 0..<200 {
            let sizes = (0..<Int.random(in: 1...8, using: &dice)).map { _ in
                OutboundSize(bytes: Int.random(in: 0...(8 * Self.mebibyte), using: &dice))
            }
            let budget = budget(channels: sizes.count)
            for size in sizes { budget.count(size) }
            let isTooMuch = sizes.reduce(0) { $0 + $1.bytes } > 8 * Self.mebibyte
            #expect(sizes.contains(where: budget.isExceeded) == isTooMuch, "\(sizes.map(\.bytes))")
        }
    }

    @Test func `a push is refused where much waits already, but never one that would wait alone`() {
        let budget = budget()
        #expect(!budget.refuses(push: 10 * Self.mebibyte, own: 0))
        budget.count(OutboundSize(bytes: 256 << 10))
        #expect(!budget.refuses(push: 256 << 10, own: 256 << 10))
        #expect(budget.refuses(push: 256 << 10 + 1, own: 256 << 10))
    }

    @Test func `frames wait on the disk up to a limit for each client and one for all`() {
        let all = ClientBudget.AllSpilled()
        let budgets = (0..<5).map { _ in ClientBudget(of: all) }
        let most = 1 << 30
        for budget in budgets.prefix(4) {
            #expect(!budget.refuses(spilled: most) && budget.refuses(spilled: most + 1))
            budget.count(OutboundSize(spilled: most))
            #expect(budget.refuses(spilled: 1))
        }
        #expect(budgets[4].refuses(spilled: 1), "the others have it all")
        budgets[0].count(OutboundSize(spilled: -1))
        #expect(!budgets[4].refuses(spilled: 1))
    }

    @Test func `requests beyond the memory for them are refused until others are answered`() throws {
        let budget = budget()
        try budget.count(requested: 512 * Self.mebibyte)
        expectTooMuch { () throws(ServiceError) in try budget.count(requested: 1) }
        budget.uncount(requested: 512 * Self.mebibyte)
        // What was refused is counted too, until its call is answered.
        expectTooMuch { () throws(ServiceError) in try budget.count(requested: 512 * Self.mebibyte) }
        budget.uncount(requested: 512 * Self.mebibyte + 1)
        try budget.count(requested: 512 * Self.mebibyte)
    }

    private func expectTooMuch(_ body: () throws(ServiceError) -> Void) {
        do throws(ServiceError) {
            try body()
            Issue.record("it was not refused")
        } catch .tooMuchRequested(let limit) {
            #expect(limit == 512 * Self.mebibyte)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `a store too many is refused and not counted`() throws {
        let budget = budget()
        for _ in 0..<128 { try budget.beganUsingStore() }
        for _ in 0..<2 {
            do throws(ServiceError) {
                try budget.beganUsingStore()
                Issue.record("it was not refused")
            } catch .tooManyStores(let limit) {
                #expect(limit == 128)
            } catch {
                Issue.record("\(error)")
            }
        }
        budget.endedUsingStores(1)
        try budget.beganUsingStore()
    }

    @Test func `the models that a client registered last are kept for it`() throws {
        let budget = budget()
        let models = try (0..<6).map { number in
            try StoreModel(
                ManagedObjectModel(entities: [
                    EntityDefinition("E\(number)", attributes: [AttributeDefinition("a", .string)])
                ]))
        }
        for model in models.prefix(4) { budget.keep(model) }
        budget.keep(models[0])  // Once more: it is the last now, and there once.
        for model in models.suffix(2) { budget.keep(model) }
        #expect(models.map { budget.model($0.id) != nil } == [true, false, false, true, true, true])
    }

    @Test func `sessions of a client share one budget, which goes with the last of them`() throws {
        let budgets = ClientBudgets()
        let client = ClientIdentity.process(userID: 1, processID: 2)
        let first = budgets.take(for: client)
        #expect(budgets.take(for: client) === first)
        #expect(budgets.take(for: .process(userID: 1, processID: 3)) !== first)
        budgets.giveBack(for: client)
        #expect(budgets.take(for: client) === first)
        budgets.giveBack(for: client)
        budgets.giveBack(for: client)
        #expect(budgets.take(for: client) !== first)
    }
}
