import CCofferMessages
import CofferModel
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// A message that is read and packed field by field, and what libprotobuf-c knows of its kind.
@safe private struct Sample {
    let message: any WireMessage
    private let descriptor: ProtobufCMessageDescriptor

    init(_ message: any WireMessage, _ descriptor: ProtobufCMessageDescriptor) {
        self.message = message
        unsafe self.descriptor = descriptor
    }

    /// What libprotobuf-c makes of `bytes`.
    func readByC(_ bytes: [UInt8]) -> CReading? { unsafe CReading(bytes, as: descriptor) }

    /// What we make of `bytes`, packed again; `nil` if we refuse them.
    func read(_ bytes: [UInt8]) -> [UInt8]? {
        do {
            return try type(of: message).init(packed: bytes).packed()
        } catch {
            return nil
        }
    }
}

extension Dice {
    /// One random message of every kind that goes through fields, and of no kind that goes through C
    /// structures.
    fileprivate mutating func samples() -> [Sample] {
        let replies = saveReplies().map { unsafe Sample($0, coffer__v1__save_reply__descriptor) }
        return replies + requests()
            + [
                unsafe Sample(save(), coffer__v1__save_request__descriptor),
                unsafe Sample(push(), coffer__v1__push__descriptor),
                unsafe Sample(transaction(), coffer__v1__transaction__descriptor),
                unsafe Sample(
                    HistoryReplyMessage.transactions(
                        list { $0.transaction() }, number: number(), hasMore: flag()),
                    coffer__v1__history_reply__descriptor),
                unsafe Sample(
                    HistoryReplyMessage.expired(floor: number(), current: number(), isOtherStore: flag()),
                    coffer__v1__history_reply__descriptor),
                unsafe Sample(batch(), coffer__v1__row_batch__descriptor),
                unsafe Sample(
                    FetchRequestMessage(store: number32(), fetch: fetch(), generation: number()),
                    coffer__v1__fetch_request__descriptor),
                unsafe Sample(
                    FetchReplyMessage(number: number(), count: number(), rows: maybe { $0.batch().rows }),
                    coffer__v1__fetch_reply__descriptor),
            ]
    }

    private mutating func requests() -> [Sample] {
        [
            unsafe Sample(rowsRequest(), coffer__v1__rows_request__descriptor),
            unsafe Sample(relationshipRequest(), coffer__v1__relationship_request__descriptor),
            unsafe Sample(release(), coffer__v1__release_request__descriptor),
            unsafe Sample(EmptyMessage(), coffer__v1__release_reply__descriptor),
        ]
    }
}

/// Messages whose fields are compared by number only: in what they carry the parts have names.
private let namelessKinds: Set = [
    "SaveReplyMessage", "PushMessage", "TransactionMessage", "HistoryReplyMessage", "FetchRequestMessage",
    "FetchReplyMessage",
]

@Test(arguments: 0..<100 as Range<UInt64>)
func `messages packed field by field are the bytes that libprotobuf-c makes`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for sample in dice.samples() {
        let bytes = try sample.message.packed()
        let reading = try #require(sample.readByC(bytes), "seed \(seed)")
        #expect(reading.packed == bytes, "seed \(seed): \(sample.message)")
        guard let message = sample.message as? any NamedFields else {
            #expect(namelessKinds.contains("\(type(of: sample.message))"), "it does not tell its fields")
            continue
        }
        #expect(Named.fields(reading.fields).withoutSteps == message.named.withoutSteps, "seed \(seed)")
    }
}

extension [String: [Named]] {
    /// The fields without those that are absent, and without the steps of predicates, which other tests know.
    fileprivate var withoutSteps: [String: [Named]] {
        var fields = filter { !$0.value.isEmpty && $0.key != "predicate" && $0.key != "expression" }
        for (name, values) in fields {
            fields[name] = values.map {
                if case .message(let fields) = $0 { .message(fields.withoutSteps) } else { $0 }
            }
        }
        return fields
    }
}

@Test(arguments: 0..<100 as Range<UInt64>)
func `odd forms of a message are read as libprotobuf-c reads them`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for sample in dice.samples() {
        let bytes = try sample.message.packed()
        let fields = try #require(sample.readByC(bytes)).fields
        var packing = OddPacking(dice: dice)
        let odd = packing.message(fields)
        #expect(sample.readByC(odd)?.fields == fields, "seed \(seed): \(sample.message)")
        #expect(sample.read(odd) == bytes, "seed \(seed): \(sample.message)")
        packing.makesPieces = true
        #expect(sample.read(packing.message(fields)) == bytes, "seed \(seed): \(sample.message)")
    }
}

/// Reads broken bytes both ways: what both read means the same, and what libprotobuf-c refuses we refuse.
private func compare(_ broken: [UInt8], _ sample: Sample, _ seed: UInt64) {
    let ours = sample.read(broken)
    guard let theirs = sample.readByC(broken) else {
        #expect(ours == nil, "seed \(seed): only libprotobuf-c refuses \(broken) of \(sample.message)")
        return
    }
    guard let ours else { return }  // Refused for what its fields say: an error names it.
    var packing = OddPacking(dice: Dice(seed: 0), isPlain: true)
    let plain = packing.message(theirs.fields)
    #expect(ours == sample.read(plain), "seed \(seed): \(broken) of \(sample.message)")
}

@Test(arguments: 0..<20 as Range<UInt64>)
func `messages with broken bytes are refused, or mean what libprotobuf-c reads`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for sample in dice.samples() {
        let bytes = try sample.message.packed()
        for _ in 0..<60 where !bytes.isEmpty {
            var broken = bytes
            for _ in 0...dice.below(3) { broken[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8)) }
            compare(broken, sample, seed)
            compare(Array(bytes[..<dice.below(bytes.count)]), sample, seed)
            let cut = dice.below(bytes.count)
            compare(Array(bytes[..<cut] + bytes[(cut + dice.below(bytes.count - cut))...]), sample, seed)
        }
    }
}

@Test func `a save with more messages in it than it may have is refused`() throws {
    let column: [UInt8] = [0x1A, 2, 0x10, 1]  // InsertGroup.columns: no integers.
    let columns = [[UInt8]](repeating: column, count: 2_000).flatMap { $0 }
    let group: [UInt8] = [0x32, 0xC0, 0x3E] + columns  // SaveRequest.inserts: 8,000 bytes.
    let request = RequestIDMessage(client: Dice.client, sequence: 1, acknowledged: 0)
    let save = try SaveRequestMessage(store: 1, request: request).packed()
    #expect(
        try SaveRequestMessage(packed: save + group + group).inserts.map(\.columns.count) == [2_000, 2_000])
    let bomb = save + [[UInt8]](repeating: group, count: 300).flatMap { $0 }
    let bytes = 64 << 20
    #expect(throws: WireError.tooLarge(what: "coffer.v1.Column, unpacked", byteCount: bytes, limit: bytes)) {
        _ = try SaveRequestMessage(packed: bomb)
    }
}

extension Dice {
    fileprivate static var client: UUID {
        var dice = Dice(seed: 1)
        return dice.uuid()
    }
}
