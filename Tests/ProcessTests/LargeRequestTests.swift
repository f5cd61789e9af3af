import CofferLinux
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// A store of pictures, as one raw client has it open.
private struct Pictures {
    let handle: UInt32
    let entity: Int
    let data: Int

    init(_ client: RawClient) throws {
        let model = try ManagedObjectModel { Entity("Picture") { Field("data", .binary).optional() } }
        let registered: RegisterModelReplyMessage = try client.call(
            .registerModel, RegisterModelRequestMessage(model: model))
        let reply: OpenStoreReplyMessage = try client.call(
            .openStore,
            OpenStoreRequestMessage(name: .init(name: "Pictures"), modelID: registered.modelID))
        guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
        handle = opened.store
        entity = 0
        data = 0
    }

    func insertion(_ bytes: [UInt8], _ request: RequestIDMessage) -> SaveRequestMessage {
        let runs = ByteRuns(data: bytes, ends: [UInt32(bytes.count)])
        return SaveRequestMessage(
            store: handle, request: request,
            inserts: [
                InsertGroup(
                    entity: entity, temporaryIDs: [UUID()],
                    columns: [Column(property: data, values: .bytes(runs))])
            ])
    }

    var fetch: FetchRequestMessage {
        FetchRequestMessage(store: handle, fetch: FetchDescription(entityName: "Picture"))
    }
}

extension OneAtATime {
    @Suite(.serialized) struct LargeRequestTests {
        /// Bytes that tell where they belong.
        private static func bytes(_ count: Int) -> [UInt8] {
            var bytes = (0..<min(count, 1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
            return bytes
        }

        @Test
        func `a value of 100 MB goes there and back in sealed memory`() throws {
            try withService { service in
                let client = try service.channel()
                client.patience = .seconds(90)
                let pictures = try Pictures(client)
                let value = Self.bytes(100_000_000)
                let request = try pictures.insertion(value, client.requestID()).packed()
                #expect(request.count > 64 << 20)
                let call = try client.start(
                    .save, [], descriptors: [Memfd.sealed(request)], flags: .sealedMemory,
                    byteCount: request.count)
                guard case .saved = try SaveReplyMessage(packed: client.reply(to: call)) else {
                    throw ServiceUnderTest.Missing()
                }
                let other = try service.channel()
                other.patience = .seconds(90)
                let rows: FetchReplyMessage = try other.call(.fetch, Pictures(other).fetch)
                guard case .bytes(let runs)? = rows.rows?.columns.first?.values else {
                    throw ServiceUnderTest.Missing()
                }
                #expect(runs.data == value)
            }
        }

        @Test
        func `memory that is not a message costs its sender an error`() throws {
            try withService { service in
                let client = try service.channel()
                // Nothing but zeros, as much as a message may have; they take no memory until a process
                // reads them.
                let builder = try MemfdBuilder()
                let piece = [UInt8](repeating: 0, count: 1 << 20)
                for _ in 0..<200 { try builder.append(piece) }
                let memory = try builder.seal()
                let call = try client.start(
                    .save, [], descriptors: [memory], flags: .sealedMemory, byteCount: 200 << 20)
                let refusal = #expect(throws: Refusal.self) { _ = try client.reply(to: call) }
                #expect(refusal?.code == .invalidArgument, "\(refusal as Any)")
                // What is above every limit is not a frame.
                var header = FrameHeader(
                    kind: .call, method: .save, callID: 101, flags: .sealedMemory, descriptorCount: 1)
                header.payloadByteCount = 200 << 20
                var bytes = header.bytes
                bytes[3] = 0x7F
                try client.send(bytes, descriptors: [memory])
                try client.waitUntilClosed()
                #expect(try service.channel().call(.listStores, bytes: []).isEmpty)
            }
        }
    }
}
