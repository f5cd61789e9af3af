import CofferLinux
import Foundation
import TestSupport
import Testing

struct TraceTests {
    private struct Event: Decodable {
        var name: String
        var ph: String
        var ts: Double
        var dur: Double?
        var id: UInt64?
        var tid: Int
        var args: [String: String]?
    }

    @Test func `a file of events is an array that lacks its end, whatever stands in names`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/trace.json"
            let first = try TraceSink.file(path)
            first.name(process: "a \"quoted\\ \n name")
            let second = try TraceSink.file(path)  // As another process would.
            second.write([
                TraceEvent("x", category: "c", .span(nanoseconds: 1_500), begin: 2_000_001, row: 7),
                TraceEvent("y", category: "c", .flow(.end, id: 1 << 52), begin: 3_000),
            ])
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            #expect(text.hasPrefix("[\n") && text.hasSuffix(",\n"))
            let events = try JSONDecoder().decode([Event].self, from: Data((text.dropLast(2) + "]").utf8))
            #expect(events.map(\.ph) == ["M", "X", "f"])
            #expect(events[0].args?["name"] == "a \"quoted\\   name")
            #expect(events[1].ts == 2_000.001 && events[1].dur == 1.5 && events[1].tid == 7)
            #expect(events[2].id == 1 << 52)
        }
    }

    @Test
    func `of several that open a file at the same time one begins the array, before anybody's first event`()
        throws
    {
        try withTemporaryFolder { folder in
            for round in 0..<20 {
                let path = folder + "/trace \(round).json"
                if round % 2 == 0 { try Data().write(to: URL(fileURLWithPath: path)) }
                let threads = try (0..<8).map { number in
                    try WorkerThread(name: "writer") {
                        guard let sink = try? TraceSink.file(path) else { return }
                        sink.write([TraceEvent("\(number)", category: "c", .instant)])
                    }
                }
                for thread in threads { thread.join() }
                let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
                let events = try JSONDecoder().decode([Event].self, from: Data((text.dropLast(2) + "]").utf8))
                #expect(events.map(\.name).sorted() == (0..<8).map { "\($0)" }, "round \(round)")
            }
        }
    }

    @Test func `a file takes no more than its limit, and counts what it lost`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/trace.json"
            let sink = try TraceSink.file(path, byteLimit: 1_000)
            for _ in 0..<100 { sink.write([TraceEvent("event", category: "c", .instant)]) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 1_100)
            #expect(sink.droppedCount > 80)
        }
    }

    @Test func `a pipe that nobody reads keeps nobody waiting, and tells what was lost`() throws {
        let (sink, reader) = try TraceSink.pipe()
        let long = String(repeating: "long ", count: 1_000)
        for _ in 0..<20_000 {
            sink.write([TraceEvent(long, category: "c", .instant, arguments: [("label", .text(long))])])
        }
        #expect(sink.droppedCount > 10_000)
        let lines = LineReader(reader)
        var count = 0
        while let line = try lines.next(timeout: .zero) {
            #expect(line.utf8.count < 1_000 && line.hasPrefix("{") && line.hasSuffix("}"))
            count += 1
        }
        #expect(count + sink.droppedCount == 20_000)
        sink.write([TraceEvent("last", category: "c", .instant)])
        #expect(try lines.next()?.contains("\"last\"") ?? false)
        #expect(try lines.next()?.contains("\"count\":\(20_000 - count)") ?? false)
    }

    @Test func `a sink whose reader has gone is closed`() throws {
        var (sink, reader): (TraceSink, OwnedDescriptor?) = try TraceSink.pipe()
        #expect(!sink.isClosed && reader != nil)
        reader = nil
        // A process that another test starts just now has a copy of what was closed, until its exec.
        try waitUntil("the sink is closed") {
            sink.write([TraceEvent("a", category: "c", .instant)])
            return sink.isClosed
        }
        sink = try TraceSink.pipe().sink
        #expect(!sink.isClosed)
    }
}
