import CofferStores
import CofferWire
import FoundationEssentials
import Testing

@Suite struct RetryTests {
    @Test func `a repeated request leaves the WAL free to be moved into the file`() throws {
        try withStore { bench in
            var request = try bench.request(inserts: [bench.insert("Shelf")])
            let first = try bench.execute(request)
            request.request.isRetry = true
            #expect(try bench.execute(request).reply == first.reply)
            try bench.writer.checkpointFully()
            #expect(try bench.file.byteCounts().wal == 0)
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["1"])
        }
    }

    @Test func `the reply that is kept goes along with the answer`() throws {
        try withStore { bench in
            var request = try bench.request(inserts: [bench.insert("Shelf")])
            let first = try bench.execute(request)
            #expect(try first.packedReply == first.reply.packed())
            request.request.isRetry = true
            #expect(try bench.execute(request).packedReply == first.packedReply)
            let invalid = try bench.execute(bench.request(inserts: [bench.insert("Author")]))
            #expect(invalid.packedReply == nil)
            request.request.sequence = 0
            #expect(try bench.execute(request).packedReply == nil)
        }
    }

    @Test(arguments: [1, 600])
    func `a request that is sent again to the next service is applied once`(objects: Int) throws {
        try withStore { bench in
            // A reply with many keys of its own objects is too long for the row of its transaction.
            let groups = try (0..<objects).map { _ in try bench.insert("Shelf") }
            var request = bench.request(inserts: groups)
            let first = try bench.execute(request)
            try bench.save(inserts: [bench.insert("Author", [bench.text("Author", "name", ["Ada"])])])
            // Others go on, one of them with a request that was never applied, before the client asks.
            let next = try Bench(bench.file)
            var other = try next.request(inserts: [next.insert("Tag")])
            other.request.isRetry = true
            #expect(try next.execute(other).transaction != nil)
            request.request.isRetry = true
            #expect(try next.execute(request).packedReply == first.packedReply)
            #expect(try next.execute(request).transaction == nil)
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["\(objects)"])
            #expect(next.writer.lastTransaction == 3)
        }
    }

    @Test func `a reply outlives the history of its transaction`() throws {
        try withStore { bench in
            var request = try bench.request(inserts: [bench.insert("Shelf")])
            let first = try bench.execute(request)
            try bench.save(inserts: [bench.insert("Author", [bench.text("Author", "name", ["Ada"])])])
            bench.followCalendar()
            try bench.age(days: 8)
            #expect(try bench.query("SELECT Z_PK FROM ATRANSACTION") == ["2"])
            let next = try Bench(bench.file)
            request.request.isRetry = true
            #expect(try next.execute(request).packedReply == first.packedReply)
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["1"])
        }
    }

    @Test(arguments: [10.0, 36_500, -36_500])
    func `a request that is sent again is applied once, wherever the clock jumped`(days: Double) throws {
        try withStore { bench in
            bench.followCalendar()
            var request = try bench.request(inserts: [bench.insert("Shelf")])
            let first = try bench.execute(request)
            for jump in [days, 0, days, 0] {
                let next = try Bench(bench.file)
                next.time = bench.time + jump * 86_400
                try next.save(inserts: [next.insert("Box")])
                try next.purge()
                try next.save(inserts: [next.insert("Box")])
            }
            // Replies stay, however old they are, when the history of their transactions goes.
            let next = try Bench(bench.file)
            let all = PurgeHistoryRequestMessage(store: 1, before: 100)
            #expect(try next.writer.purgeHistory(all, now: bench.time + 400 * 86_400) == 8)
            request.request.isRetry = true
            #expect(try next.execute(request).packedReply == first.packedReply)
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["1"])
        }
    }

    @Test func `replies that were acknowledged are forgotten, and long ones leave the file`() throws {
        try withStore { bench in
            for _ in 0..<20 {
                try bench.save(inserts: (0..<600).map { _ in try bench.insert("Shelf") })
            }
            let kept = try #require(Int(try bench.query("SELECT count(*) FROM COFFER_REQUEST")[0]))
            #expect((1..<18).contains(kept))
        }
    }

    @Test(arguments: [1.0, 0, -1])
    func `clients that were forgotten are found in the file, whatever the clock does`(tick: Double) throws {
        try withStore { bench in
            var requests: [SaveRequestMessage] = []
            for _ in 0..<2_100 {
                var request = try bench.request(inserts: [bench.insert("Shelf")])
                request.request.client = UUID()
                bench.time += tick
                _ = try bench.execute(request)
                requests.append(request)
            }
            for index in requests.indices {
                requests[index].request.isRetry = true
                let again = try bench.execute(requests[index])
                #expect(again.transaction == nil && again.packedReply != nil)
            }
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["2100"])
        }
    }

    @Test func `numbers go on without a gap where the counters have run ahead`() throws {
        try withStore { bench in
            for _ in 0..<3 { try bench.save(inserts: [bench.insert("Shelf")]) }
            let next = try Bench(bench.file)
            let fourth = try next.save(inserts: [next.insert("Shelf")])
            #expect(fourth.saved.number == 4)
            #expect(try bench.query("SELECT max(Z_PK) FROM ACHANGE") == ["4"])
            let written = try (0..<600).count { _ in
                let before = try bench.query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
                try next.save(inserts: [next.insert("Shelf")])
                return try bench.query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") != before
            }
            #expect((2...3).contains(written))
            let ahead =
                "SELECT min(Z_MAX >= (SELECT max(Z_PK) FROM ATRANSACTION)) FROM Z_PRIMARYKEY WHERE Z_ENT = 16002"
            #expect(try bench.query(ahead) == ["1"])
        }
    }
}
