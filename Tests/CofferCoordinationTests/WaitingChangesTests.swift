import CofferCoordination
import CofferLinux
import CofferModel
import CofferWire
import Foundation
import Testing

@Suite struct `Changes that wait for the row cache` {
    /// A transaction that updates one row, with a value of so many bytes.
    private func transaction(_ number: UInt64, byteCount: Int) -> TransactionMessage {
        var builder = ColumnBuilder(property: 0, type: .binary)
        builder.append(bytes: Array(repeating: 7, count: byteCount))
        return TransactionMessage(
            number: number, timestamp: 0,
            changes: [
                ChangeGroup(
                    kind: .update, entity: 0, primaryKeys: [Int64(number)], versions: [2], properties: [0],
                    columns: [builder.finish()])
            ])
    }

    @Test func `few large changes that wait are enough to be taken in, as many small ones are`() {
        var large = WaitingChanges()
        large.append(transaction(1, byteCount: 900_000))
        #expect(!large.isFull)
        large.append(transaction(2, byteCount: 200_000))
        #expect(large.isFull)
        #expect(large.take().transactions.map(\.number) == [1, 2])
        #expect(large.isEmpty && !large.isFull, "what was taken counts no more")
        large.append(transaction(3, byteCount: 900_000))
        #expect(!large.isFull)

        var small = WaitingChanges()
        for number in 1...63 { small.append(transaction(UInt64(number), byteCount: 10)) }
        #expect(!small.isFull)
        small.append(transaction(64, byteCount: 10))
        #expect(small.isFull)
    }

    @Test func `changes that wait are as old as the first of them`() {
        var waiting = WaitingChanges()
        let before = Monotonic.now
        waiting.append(transaction(1, byteCount: 10))
        let after = Monotonic.now
        while Monotonic.now <= after {}
        waiting.append(transaction(2, byteCount: 10))
        let since = waiting.take().since
        #expect((before...after).contains(since))
    }

    @Test func `a row is as old as its last save, not as the look that finds it`() throws {
        try withItems(3) { items, keys in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            _ = try items.fire(keys, for: holder)
            let title = try #require(items.store.model.entities[0].propertyIndex(named: "title"))
            var builder = ColumnBuilder(property: title, type: .string)
            builder.append(text: "new")
            let group = UpdateGroup(
                entity: 0, primaryKeys: [keys[0]], versions: [1], columns: [builder.finish()])
            _ = try items.store.save(items.request(updates: [group]), by: ItemStore.origin)
            let saved = Monotonic.now
            while Monotonic.now - saved < 20_000_000 {}
            #expect(try items.fire([keys[0]], for: holder, maximumAge: 60_000).isCached)
            // It was found by the line above; that makes it no younger.
            #expect(try !items.fire([keys[0]], for: holder, maximumAge: 10).isCached)
        }
    }
}
