import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import Testing

@Suite struct HistoryTests {
    /// Three transactions: two cars and a sport car; a person; the person changed and a car deleted.
    private func withHistory(
        on backing: Backing,
        _ body: (ManagedObjectContext, [HistoryTransaction], ManagedObjectID) throws -> Void
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let writer = container.newContext(name: "writer", author: "me")
            let car = try writer.make("Car", ["numberPlate": "A"])
            try writer.make("Car", ["numberPlate": "B"])
            try writer.make("SportCar", ["numberPlate": "C"])
            try writer.save()
            let person = try writer.make("Person", ["name": "Ann"])
            try writer.save()
            person["salary"] = 7
            let id = car.objectID
            writer.delete(car)
            try writer.save()
            let reader = container.newContext(name: "reader")
            try body(reader, try reader.fetchHistory(), id)
        }
    }

    @Test(arguments: Backing.all)
    func `a deleted object comes in history before the one that took its unique value`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let old = try context.make("Car", ["numberPlate": "A"])
            let other = try context.make("Car", ["numberPlate": "B"])
            let third = try context.make("Car", ["numberPlate": "C"])
            try context.save()
            context.delete(old)
            try context.make("Car", ["numberPlate": "A"])
            context.delete(third)
            other["numberPlate"] = "C"
            try context.save()
            let changes = try #require(try context.fetchHistory().last?.changes)
            #expect(changes.map(\.kind) == [.delete, .delete, .update, .insert])
            #expect(Set(changes.prefix(2).map(\.objectID)) == [old.objectID, third.objectID])
        }
    }

    @Test(arguments: Backing.all)
    func `H1: a fetched transaction can be merged, which registers no objects`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let writer = container.newContext()
            let reader = container.newContext()
            let car = try writer.make("Car", ["numberPlate": "A"])
            try writer.save()
            let held = try reader.existingObject(with: car.objectID)
            reader.automaticallyMergesChanges = false
            car["maker"] = "FIAT"
            try writer.make("Car", ["numberPlate": "B"])
            try writer.save()
            let history = try reader.fetchHistory(HistoryRequest(after: .date(.distantPast)))
            #expect(history.map(\.number) == [1, 2])
            var posted: [ContextNotification] = []
            let token = reader.onNotification { posted.append($0) }
            for transaction in history { reader.mergeChanges(from: transaction) }
            token.cancel()
            #expect(
                posted.contains { if case .didMerge(_, [car.objectID], [], _) = $0 { true } else { false } })
            #expect(held["maker"] == "FIAT")
            #expect(reader.registeredObjectCount == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `H2: transactions come oldest first, with their authors and changes`(on backing: Backing) throws {
        try withHistory(on: backing) { _, history, deleted in
            #expect(history.map(\.number) == [1, 2, 3])
            #expect(
                history.allSatisfy { $0.author == "me" && $0.contextName == "writer" && !$0.process.isEmpty })
            #expect(abs(history[0].timestamp.timeIntervalSinceNow) < 3_600)
            #expect(history[0].changes?.map(\.kind) == [.insert, .insert, .insert])
            #expect(history[0].changes?.map(\.changeID) == [0, 1, 2])
            let last = history[2].changes ?? []
            #expect(Set(last.map(\.kind)) == [.update, .delete])
            #expect(last.first { $0.kind == .update }?.updatedProperties == ["salary"])
            let tombstone = last.first { $0.kind == .delete }
            #expect(tombstone?.objectID == deleted && tombstone?.tombstone == ["numberPlate": "A"])
        }
    }

    @Test(arguments: Backing.all)
    func `H3: a new store has a token, and nothing after it`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let token = try context.currentHistoryToken()
            #expect(token.numbers.values.map { $0 } == [0])
            #expect(try context.fetchHistory(HistoryRequest(after: .token(token))).isEmpty)
            #expect(try context.fetchHistory().isEmpty)
            // H7: Core Data says here that the token has expired; ours finds everything newer.
            try context.make("Person", ["name": "A"])
            try context.save()
            var request = HistoryRequest()
            request.transactionPredicate = try QueryPredicate(format: "token > %@", token)
            #expect(try context.countHistory(request) == 1)
            #expect(try context.countHistory(HistoryRequest(after: .token(token))) == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `H5: history is deleted strictly before a point, and a token below the floor expires`(
        on backing: Backing
    ) throws {
        try withHistory(on: backing) { context, history, _ in
            try context.deleteHistory(before: history[0])
            #expect(try context.countHistory() == 3)
            try context.deleteHistory(before: history[2].token)
            #expect(try context.fetchHistory().map(\.number) == [3])
            #expect(throws: CofferError.self) {
                try context.fetchHistory(HistoryRequest(after: .transaction(history[0])))
            }
            #expect(try context.fetchHistory(HistoryRequest(after: .transaction(history[1]))).count == 1)
            try context.deleteHistory(before: Date.distantFuture)
            #expect(try context.fetchHistory().map(\.number) == [3])
            try context.make("Person", ["name": "B"])
            try context.save()
            #expect(try context.fetchHistory().map(\.number) == [3, 4])
        }
    }

    @Test(
        arguments: Backing.all(with: [
            ("token = %@", 2, 1), ("token >= %@", 2, 2), ("token <= %@", 3, 3),
            ("transactionNumber < %@", 2, 1),
        ]))
    func `H6: transactions are found by predicates on them`(
        _ format: String, _ place: Int, _ count: Int, on backing: Backing
    ) throws {
        try withHistory(on: backing) { context, history, _ in
            var request = HistoryRequest()
            request.transactionPredicate = try QueryPredicate(format: format, history[place - 1].token)
            #expect(try context.countHistory(request) == count)
            request.transactionPredicate = try QueryPredicate(
                format: "author == 'me' AND contextName BEGINSWITH 'wr' AND timestamp > %@", Date.distantPast)
            #expect(try context.countHistory(request) == 3)
        }
    }

    @Test(arguments: Backing.all)
    func `H9 to H13: results are transactions, changes or ids, by predicates on changes`(
        on backing: Backing
    ) throws {
        try withHistory(on: backing) { context, history, deleted in
            var request = HistoryRequest(after: .token(history[1].token))
            request.includesChanges = false
            #expect(try context.fetchHistory(request).map { $0.changes == nil } == [true])
            request = HistoryRequest()
            request.changePredicate = try QueryPredicate(format: "changeType == %@", 1)
            #expect(try context.fetchHistory(request).map { $0.changes?.count } == [1])
            request.changePredicate = try QueryPredicate(
                format: "changeType == 0 AND (changedEntity == 'Car' OR changedEntity == 'Person')")
            #expect(try context.fetchHistoryChanges(request).count == 3)
            request = HistoryRequest(after: .token(history[1].token))
            request.changePredicate = try QueryPredicate(format: "changedEntity == 'Car'")
            #expect(try context.fetchHistoryObjectIDs(request) == [deleted])
            request.changePredicate = try QueryPredicate(format: "changedObjectID == %@", deleted)
            #expect(try context.fetchHistoryChanges(request).map(\.kind) == [.delete])
            request = HistoryRequest()
            request.limit = 2
            #expect(try context.fetchHistory(request).map(\.number) == [1, 2])
            request.changePredicate = try QueryPredicate(format: "wrong == 1")
            #expect(throws: CofferError.self) { try context.fetchHistory(request) }
        }
    }

    @Test(arguments: Backing.all)
    func `history waits for consumers, which are listed and removed by name`(on backing: Backing) throws {
        try withHistory(on: backing) { context, history, _ in
            try context.acknowledgeHistory(upTo: history[0].token, consumer: "export")
            let consumer = try #require(try context.historyConsumers()["Test"]?.first)
            #expect(consumer.name == "export" && consumer.acknowledged == 1)
            #expect(abs(consumer.leaseEnd.timeIntervalSinceNow - 14 * 86_400) < 3_600)
            try context.deleteHistory(before: Date.distantFuture)
            #expect(try context.fetchHistory().map(\.number) == [2, 3])
            try context.acknowledgeHistory(upTo: HistoryToken(), consumer: "export")
            #expect(try context.historyConsumers()["Test"]?.first?.acknowledged == 1)
            try context.removeHistoryConsumer("export")
            #expect(try context.historyConsumers()["Test"] == [])
            try context.deleteHistory(before: Date.distantFuture)
            #expect(try context.fetchHistory().map(\.number) == [3])
        }
    }
}
