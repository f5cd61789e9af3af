import CofferStores
import CofferWire
import Testing

@Suite struct RetryTests {
    @Test(arguments: [true, false])
    func `a repeated request leaves the WAL free to be moved into the file`(saysSo: Bool) throws {
        try withStore { bench in
            var request = try bench.request(inserts: [bench.insert("Shelf")])
            let first = try bench.execute(request)
            request.request.isRetry = saysSo
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
}
