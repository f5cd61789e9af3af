import CofferLinux
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

extension OneAtATime {
    @Suite(.serialized) struct StreamedFetchTests {
        private static let rows = 50_000
        private static let rowByteCount = 4_000

        /// A store with so many notes of so many bytes each.
        private func filled(_ service: ServiceUnderTest) throws -> OpenNotes {
            let writer = try service.channel()
            let store = try writer.open()
            let count = 5_000
            // Made at once: a debug build takes long over single bytes.
            let texts = ByteRuns(
                data: [UInt8](repeating: 120, count: count * Self.rowByteCount),
                ends: (1...UInt32(count)).map { $0 * UInt32(Self.rowByteCount) })
            for _ in 0..<Self.rows / count {
                let save = SaveRequestMessage(
                    store: store.handle, request: writer.requestID(),
                    inserts: [
                        InsertGroup(
                            entity: store.note, temporaryIDs: (0..<count).map { _ in UUID() },
                            columns: [Column(property: store.title, values: .bytes(texts))])
                    ])
                // As clients send what is large: through a socket a debug build reads it byte by byte.
                let request = try save.packed()
                let call = try writer.start(
                    .save, [], descriptors: [Memfd.sealed(request)], flags: .sealedMemory,
                    byteCount: request.count)
                guard case .saved = try SaveReplyMessage(packed: writer.reply(to: call)) else {
                    throw ServiceUnderTest.Missing()
                }
            }
            return store
        }

        /// A fetch of all that is begun, and whose answer may come in parts.
        private func begin(_ client: RawClient, _ store: OpenNotes) throws -> UInt64 {
            try client.start(.fetch, store.fetch().packed(), descriptors: [], flags: .takesItems)
        }

        @Test
        func `a client that does not read 200 MB costs the service no memory, and gets all of it later`()
            throws
        {
            try withService { service in
                _ = try filled(service)
                // Another process: what the saves have left free in the memory of the one before would hide
                // what is taken.
                try service.kill9()
                let slow = try service.channel()
                let store = try slow.open()
                let witness = try service.channel()
                let other = try witness.open()
                // What the row cache keeps of it is there before.
                let fast = try service.channel()
                let all = try begin(fast, fast.open())
                while try fast.nextFrame(of: all).header.kind == .item {}
                let before = try service.memory().peakResident
                let call = try begin(slow, store)
                // Others are served while it comes to stand there, all but the little that the socket holds.
                try waitUntil("the answer waits for its reader", patience: .seconds(300)) {
                    #expect(try witness.count(other) == Self.rows)
                    return try service.unreadBytes() > Self.rows * Self.rowByteCount * 9 / 10
                }
                #expect(try service.spilledFileCount() == 1, "it waits on the disk")
                var count = 0
                while true {
                    let frame = try slow.nextFrame(of: call)
                    count += try FetchReplyMessage(packed: frame.payload).rows?.rowCount ?? 0
                    if frame.header.kind != .item { break }
                }
                #expect(count == Self.rows)
                #expect(try service.spilledFileCount() == 0, "the disk is given back")
                #expect(try slow.count(store) == Self.rows)
                let grown = try service.memory().peakResident - before
                print("a stalled reader of 200 MB made the service grow by \(grown >> 20) MiB more")
                // Another thread may fill the row cache again, up to its 64 MiB, in memory of its own;
                // kept whole, the answer would take its 190 MiB besides.
                #expect(grown < 128 << 20)
            }
        }

        @Test
        func `a streamed fetch that is taken back ends before its last row`() throws {
            try withService { service in
                _ = try filled(service)
                let client = try service.channel()
                let store = try client.open()
                let call = try begin(client, store)
                #expect(try client.nextFrame(of: call).header.kind == .item)
                try client.send(FrameHeader(kind: .cancel, callID: call).bytes)
                var count = 0
                var last = try client.nextFrame(of: call)
                while last.header.kind == .item {
                    count += try FetchReplyMessage(packed: last.payload).rows?.rowCount ?? 0
                    last = try client.nextFrame(of: call)
                }
                #expect(last.header.status == .cancelled, "\(last.header)")
                #expect(count < Self.rows)
                #expect(try client.count(store) == Self.rows)
            }
        }
    }
}

extension ServiceUnderTest {
    /// How many files the service has open that hold what clients have not read.
    fileprivate func spilledFileCount() throws -> Int {
        guard let pid = try pid() else { throw Missing() }
        let links = FileManager.default
        return try links.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count { name in
            // A descriptor that was closed meanwhile does not count.
            (try? links.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(name)"))?
                .hasSuffix(".unread (deleted)") ?? false
        }
    }
}
