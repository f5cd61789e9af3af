import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

@Suite struct ReservedKeyTests {
    private func reserve(_ bench: Bench, _ entity: String, _ count: Int) throws -> Int64 {
        try bench.writer.reserveKeys([
            KeyReservation(entity: bench.entity(entity).index, count: count)
        ])[0]
    }

    private func insert(
        _ bench: Bench, _ entity: String, _ key: Int64, _ columns: [Column] = [], count: Int = 1
    ) throws -> InsertGroup {
        var group = try bench.insert(entity, columns, count: count)
        group.firstKey = key
        return group
    }

    private func refuses(_ bench: Bench, _ groups: [InsertGroup]) -> StoreError? {
        do {
            try bench.save(inserts: groups)
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `a key is given out once, whoever asks and whether or not it is used`() throws {
        try withStore { bench in
            #expect(try reserve(bench, "Novel", 2) == 1)
            #expect(try bench.save(inserts: [bench.insert("Poem")]).saved.firstKeys == [3])
            #expect(try reserve(bench, "Poem", 1) == 4)
            #expect(try reserve(bench, "Tag", 5) == 1)
            let both = try bench.writer.reserveKeys([
                KeyReservation(entity: bench.entity("Novel").index, count: 2),
                KeyReservation(entity: bench.entity("Poem").index, count: 2),
            ])
            #expect(both == [5, 7])
            #expect(try bench.save(inserts: [bench.insert("Poem")]).saved.firstKeys == [9])
            #expect(bench.writer.lastTransaction == 2, "a reservation is not a transaction")
        }
    }

    @Test func `rows get the keys that were reserved for them, in any order`() throws {
        try withStore { bench in
            let key = try reserve(bench, "Novel", 3)
            let later = try bench.save(inserts: [insert(bench, "Novel", key + 1, count: 2)])
            #expect(later.saved.firstKeys == [key + 1])
            #expect(later.transaction?.changes.first?.primaryKeys == [key + 1, key + 2])
            let mixed = try bench.save(inserts: [
                bench.insert("Novel"), insert(bench, "Poem", key, [bench.text("Poem", "title", ["first"])]),
            ])
            #expect(mixed.saved.firstKeys == [key + 3, key])
            #expect(try bench.query("SELECT Z_PK FROM ZWORK ORDER BY 1") == ["1", "2", "3", "4"])
        }
    }

    @Test func `keys that were not given out, or have rows, are refused and nothing is written`() throws {
        try withStore { bench in
            let key = try reserve(bench, "Tag", 4)
            try bench.save(inserts: [insert(bench, "Tag", key + 1)])
            let wrong: [(Int64, Int)] = [
                (key + 4, 1), (key + 3, 2), (key + 1, 1), (key, 2), (key, 4), (-1, 1), (.min, 1), (.max, 1),
                (.max, 2), (.min, 0), (.max, 0),
            ]
            for (first, count) in wrong {
                let error = refuses(
                    bench, [try insert(bench, "Tag", first, count: count), try bench.insert("Tag")])
                #expect(
                    error == .unreservedKeys(entity: "Tag", firstKey: first, count: count),
                    "\(first), \(count)")
            }
            // The keys of another inheritance tree are other keys.
            #expect(refuses(bench, [try insert(bench, "Author", key)]) != nil)
            // New keys of the same save were not given out before.
            #expect(refuses(bench, [try bench.insert("Tag"), try insert(bench, "Tag", key + 4)]) != nil)
            let twice = [try insert(bench, "Tag", key + 2, count: 2), try insert(bench, "Tag", key + 3)]
            #expect(refuses(bench, twice) == .malformedRequest("two new objects have the key \(key + 3)"))
            #expect(try bench.query("SELECT Z_PK FROM ZTAG") == ["\(key + 1)"])
            #expect(bench.writer.lastTransaction == 1)
        }
    }

    @Test func `a key is used once, also where its object is gone`() throws {
        try withStore { bench in
            let key = try reserve(bench, "Tag", 6)
            try bench.save(inserts: [insert(bench, "Tag", key + 1, count: 2)])
            try bench.save(deletes: [bench.delete("Tag", [key + 1])])
            let unreserved = StoreError.unreservedKeys(entity: "Tag", firstKey: key + 1, count: 1)
            #expect(refuses(bench, [try insert(bench, "Tag", key + 1)]) == unreserved)
            // Nor can anybody take the key of an object that got it without a reservation.
            let own = try #require(try bench.save(inserts: [bench.insert("Tag")]).saved.firstKeys.first)
            try bench.save(deletes: [bench.delete("Tag", [own])])
            #expect(refuses(bench, [try insert(bench, "Tag", own)]) != nil)
            // A save that is refused uses none, one that comes later does.
            let twice = [try insert(bench, "Tag", key + 4), try insert(bench, "Tag", key + 4)]
            #expect(refuses(bench, twice) != nil)
            let late = try [insert(bench, "Tag", key + 3, count: 3), insert(bench, "Tag", key)]
            #expect(try bench.save(inserts: late).saved.firstKeys == [key + 3, key])
            #expect(try bench.query("SELECT count(*) FROM COFFER_RESERVED") == ["0"])
        }
    }

    @Test func `what is reserved in one go takes one row, and a file without the table gets it`() throws {
        try withTemporaryFolder { path in
            func open() throws -> Bench {
                try Bench(
                    StoreFile.open(in: Folder(at: path), fileName: "T", model: StoreModel(Library.model())))
            }
            do {
                let bench = try open()
                for _ in 0..<50 { _ = try reserve(bench, "Tag", 3) }
                #expect(try bench.query("SELECT first || '-' || last FROM COFFER_RESERVED") == ["1-150"])
                try SQLiteConnection(path: "\(path)/T", mode: .readWrite).execute(
                    "DROP TABLE COFFER_RESERVED")
            }
            let bench = try open()
            let key = try reserve(bench, "Tag", 1)
            #expect(key == 151)
            try bench.save(inserts: [insert(bench, "Tag", key)])
        }
    }

    @Test func `what cannot have keys is refused one`() throws {
        try withStore { bench in
            #expect(throws: StoreError.self) { try reserve(bench, "Work", 1) }
            #expect(throws: StoreError.unknownEntity("#999")) {
                try bench.writer.reserveKeys([KeyReservation(entity: 999, count: 1)])
            }
            #expect(throws: StoreError.tooLarge("11000000 keys, 10000000 may be reserved at a time")) {
                let tag = try bench.entity("Tag").index
                return try bench.writer.reserveKeys(
                    (0..<11).map { _ in KeyReservation(entity: tag, count: 1_000_000) })
            }
            let first = try reserve(bench, "Tag", 1)
            #expect(first == 1)
        }
    }

    @Test func `a new object with a reserved key becomes the stored one, and references follow`() throws {
        try withStore(UniquenessTests.model()) { bench in
            let columns = try ["number", "stars"].map { try bench.integers("Person", $0, [1]) }
            try bench.save(inserts: [bench.insert("Person", columns)])
            let key = try reserve(bench, "Person", 1)
            let person = try insert(bench, "Person", key, columns)
            let job = try bench.insert("Job", [bench.reference("Job", "person", [("Person", -1)])])
            let (saved, _) = try bench.save(policy: .objectTrump, inserts: [person, job])
            #expect(saved.firstKeys == [key, 1] && saved.merged == [0: 1])
            #expect(try bench.query("SELECT ZPERSON FROM ZJOB") == ["1"])
            // The reserved key has no row then: no object may refer to the person by it.
            let other = try reserve(bench, "Person", 1)
            let again = try insert(bench, "Person", other, columns)
            let stray = try bench.insert("Job", [bench.reference("Job", "person", [("Person", other)])])
            let outcome = try bench.execute(bench.request(policy: .objectTrump, inserts: [again, stray]))
                .reply
            guard case .invalid(let failures) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failures.map(\.reason) == [.unknownObject])
            #expect(try bench.query("SELECT count(*) FROM ZPERSON") == ["1"])
        }
    }

    @Test func `an update or delete of a key that the same save inserts changes nothing`() throws {
        try withStore { bench in
            let key = try reserve(bench, "Tag", 1)
            let name = try bench.text("Tag", "name", ["x"])
            for policy in [MergePolicyMessage.error, .objectTrump, .overwrite] {
                let execution = try? bench.execute(
                    bench.request(
                        policy: policy, inserts: [insert(bench, "Tag", key)],
                        updates: [bench.update("Tag", key, version: 1, [name])]))
                if case .saved = execution?.reply { Issue.record("\(policy) let both be written") }
                #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["0"])
            }
        }
    }
}
