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
}
