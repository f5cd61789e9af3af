import CofferContainer
import CofferMerge
import CofferModel
import TestSupport
import Testing

struct ContentTests {
    private func log(_ dice: inout RegisterDice, _ count: Int) throws -> LogContent {
        let drawn = dice.chain(first: UInt64(dice.below(3)) + 1, count: dice.below(4) + 1)
        let chain = try #require(drawn)
        let registers = dice.registers(count)
        return LogContent(
            time: Int64(dice.below(1_000)), chain: chain, vector: dice.vector(),
            isWholeVector: dice.below(2) == 0, digest: StateDigest(registers),
            modelID: registers.isEmpty ? [] : [UInt8](repeating: 5, count: 32),
            read: dice.hashes(dice.below(3)), registers: registers)
    }

    @Test(arguments: Seed.several(100))
    func `registers are read as they were written, and always written the same`(seed: Seed) throws {
        var dice = RegisterDice(seed)
        let registers = dice.registers(dice.below(80))
        let bytes = try RegisterContent.bytes(of: registers)
        #expect(try Set(RegisterContent.registers(in: bytes, from: .container)) == Set(registers))
        #expect(try RegisterContent.bytes(of: registers.shuffled(using: &dice.generator)) == bytes)
        #expect(try State(RegisterContent.registers(in: bytes, from: .container)) == State(registers))
    }

    @Test func `registers that nobody would read are not packed`() throws {
        let stamp = Stamp(1, peer: PeerID(1), fold: 1)
        let record = RecordID(high: 1, low: 1)
        let text = String(repeating: "x", count: 33 << 20)
        let cells = ["a", "b"].map {
            Register.cell(record, $0, Stamped(Cell(.value(.string(text))), stamp))
        }
        #expect(
            try RegisterContent.registers(
                in: RegisterContent.bytes(of: [cells[0]]), from: .container) == [cells[0]])
        let error = #expect(throws: ObjectFault.self) { try RegisterContent.bytes(of: cells) }
        guard case .tooLarge(let byteCount, let limit)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(byteCount > 66 << 20 && limit == 64 << 20)
    }

    @Test(arguments: Seed.several(100))
    func `a log is read as it was written`(seed: Seed) throws {
        var dice = RegisterDice(seed)
        var log = try log(&dice, dice.below(40))
        let object = try log.object(of: PeerID(3))
        let (name, bytes) = object.packed()
        let read = try ContainerObject(reading: bytes, named: name)
        var again = try LogContent(reading: read.content, folds: log.chain.folds, from: .container)
        #expect(Set(again.registers) == Set(log.registers))
        (again.registers, log.registers) = ([], [])
        #expect(again == log)
    }

    @Test func `a log of other folds than its name says is refused`() throws {
        var dice = RegisterDice(.printed(for: "Folds of a log"))
        let log = try log(&dice, 9)
        let content = try log.bytes()
        let (first, last) = (log.chain.folds.lowerBound, log.chain.folds.upperBound)
        for folds in [first...last + 1, first...UInt64.max, 1...UInt64.max] where folds != log.chain.folds {
            #expect(throws: ObjectFault.self) {
                try LogContent(reading: content, folds: folds, from: .container)
            }
        }
    }

    @Test(arguments: Seed.several(50))
    func `baseline, marker, keys and model are read as they were written`(seed: Seed) throws {
        var dice = RegisterDice(seed)
        let baseline = BaselineContent(
            time: 8, parts: dice.hashes(dice.below(5)), vector: dice.vector(),
            digest: StateDigest(dice.registers(5)), modelID: [UInt8](repeating: 1, count: 32))
        #expect(try BaselineContent(reading: baseline.bytes()) == baseline)
        let marker = MarkerContent(
            peer: PeerID(dice.generator.next()), time: 3, isRemoved: dice.below(2) == 0)
        #expect(try MarkerContent(reading: marker.bytes()) == marker)
        let keys = KeysContent(
            salt: dice.generator.bytes(16), passCount: 3, memoryByteCount: 256 << 20,
            passphrase: .init(nonce: dice.generator.bytes(24), bytes: dice.generator.bytes(48)),
            recovery: .init(nonce: dice.generator.bytes(24), bytes: dice.generator.bytes(48)))
        #expect(try KeysContent(reading: keys.bytes()) == keys)
        let model = try ModelContent(ManagedObjectModel(entities: SampleBooks.entities))
        // Reading puts the parts of a model in order; its bytes, and so its id, stay.
        #expect(try ModelContent(ModelContent(reading: model.bytes).model).bytes == model.bytes)
    }

    @Test func `keys that would take all memory, and markers of a later format, are refused`() throws {
        let sealed = KeysContent.Sealed(
            nonce: [UInt8](repeating: 1, count: 24), bytes: [UInt8](repeating: 2, count: 48))
        var keys = KeysContent(
            salt: [UInt8](repeating: 3, count: 16), passCount: 3, memoryByteCount: 1 << 40,
            passphrase: sealed, recovery: sealed)
        #expect(throws: ObjectFault.malformed(reason: "coffer.v1.ContainerKeys.memory: 1099511627776")) {
            try KeysContent(reading: keys.bytes())
        }
        keys.memoryByteCount = 256 << 20
        keys.salt = []
        #expect(throws: ObjectFault.self) { try KeysContent(reading: keys.bytes()) }
        #expect(throws: ObjectFault.newer(version: 2)) {
            try MarkerContent(reading: MarkerContent(format: 2, peer: PeerID(1), time: 0).bytes())
        }
    }

    @Test func `a stamp past the year 9999 and a property without a name are refused`() throws {
        let record = RecordID(high: 1, low: 1)
        let late = Stamp(253_402_300_800_000_000, peer: PeerID(1), fold: 1)
        let stamp = Stamp(1, peer: PeerID(1), fold: 1)
        for register in [
            Register.cell(record, "a", Stamped(Cell(.null), late)),
            .cell(record, "", Stamped(Cell(.null), stamp)),
        ] {
            let bytes = try RegisterContent.bytes(of: [register])
            #expect(throws: ObjectFault.self) { try RegisterContent.registers(in: bytes, from: .container) }
        }
    }

    @Test func `any bytes are registers or are refused with their reason`() throws {
        var dice = RegisterDice(.printed(for: "Mutants of contents"))
        var (refused, taken) = (0, 0)
        for _ in 0..<250 {
            let log = try log(&dice, 12)
            let bytes = try log.bytes()
            for _ in 0..<400 {
                var mutant = bytes
                for _ in 0..<dice.below(3) + 1 {
                    let place = dice.below(mutant.count)
                    switch dice.below(4) {
                    case 0: mutant[place] = UInt8(dice.below(256))
                    case 1: mutant[place] ^= 1 << UInt8(dice.below(8))
                    case 2: mutant.remove(at: place)
                    default: mutant.insert(UInt8(dice.below(256)), at: place)
                    }
                    if mutant.isEmpty { mutant = [0] }
                }
                do throws(ObjectFault) {
                    let read = try LogContent(reading: mutant, folds: log.chain.folds, from: .container)
                    taken += 1
                    // What is taken can be written and read again, so that it can be carried on.
                    if taken % 64 == 0 {
                        let registers = State(read.registers).registers
                        let again = try RegisterContent.registers(
                            in: RegisterContent.bytes(of: registers), from: .container)
                        #expect(State(again) == State(registers))
                    }
                } catch {
                    refused += 1
                    guard case .malformed(let reason) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(reason.hasPrefix("coffer.v1."))
                }
            }
        }
        #expect(refused + taken == 100_000 && refused > 30_000)
    }

    @Test(arguments: Seed.several(50))
    func `a digest follows a state in any order, and tells states apart`(seed: Seed) {
        var dice = RegisterDice(seed)
        let registers = dice.registers(40)
        var digest = StateDigest()
        for register in registers.shuffled(using: &dice.generator) { digest.add(register) }
        #expect(digest == StateDigest(State(registers).registers))
        for register in registers {
            var other = digest
            other.subtract(register)
            #expect(other != digest)
        }
        for register in registers { digest.subtract(register) }
        #expect(digest == StateDigest() && "\(digest)".utf8.count == 32)
    }

    @Test func `a change alone takes few bytes, and of many each takes a dozen and its value`() throws {
        let (peer, title) = (PeerID(0x1234_5678_9ABC_DEF0), "title")
        func log(_ count: Int) throws -> Int {
            let registers = (0..<count).map { index in
                Register.cell(
                    RecordID(high: 0x0192_3456_789A_0000, low: 0xABCD_EF01_0000_0000 + UInt64(index)), title,
                    Stamped(
                        Cell(.value(.string("value \(index)"))),
                        Stamp(1_764_000_000_000_000 + Int64(index / 10), peer: peer, fold: 9)))
            }
            var hash = try ChainHash.start.following(fold: 8, [])
            let before = hash
            hash = try hash.following(fold: 9, registers)
            let log = LogContent(
                time: 1_764_000_000_000_000,
                chain: try #require(ChainSegment(first: 9, before: before, hashes: [hash])),
                vector: KnowledgeVector(), digest: StateDigest(registers),
                modelID: [UInt8](repeating: 0xA7, count: 32), registers: registers)
            return try log.object(of: peer).packed().bytes.count
        }
        let (one, many) = (try log(1), try log(10_000))
        print("Bytes of a log with one change: \(one); of 10,000 changes, each: \(Double(many) / 10_000)")
        #expect(one <= 300)
        #expect(many <= 10_000 * (12 + 10))
    }
}
