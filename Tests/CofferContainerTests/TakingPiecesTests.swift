import CofferContainer
import CofferMerge
import TestSupport
import Testing

@Suite("What others wrote is joined in pieces that keep together what was saved together")
struct TakingPiecesTests {
    private static let peer = PeerID(1)

    /// All pieces, each of which ends after `count` registers.
    private func pieces(_ registers: [Register], of count: Int) -> [[Register]] {
        var rest = TakingPieces(registers)
        var pieces: [[Register]] = []
        while !rest.isAtEnd { pieces.append(rest.next(of: count)) }
        return pieces
    }

    private func record(_ number: Int) -> RecordID { RecordID(high: 1, low: UInt64(number)) }

    private func stamp(_ fold: Int) -> Stamp { Stamp(Int64(fold), peer: Self.peer, fold: UInt64(fold)) }

    private func life(_ number: Int, fold: Int) -> Register {
        .life(record(number), Stamped(Life("Note", .alive), stamp(fold)))
    }

    private func naming(_ number: Int, _ other: Int, fold: Int) -> Register {
        .cell(record(number), "list", Stamped(Cell(.record(record(other))), stamp(fold)))
    }

    @Test func `what was saved at once is one piece, however small pieces are to be`() {
        let registers = (0..<60).map { life($0, fold: $0 % 3) }
        let pieces = pieces(registers, of: 1)
        #expect(pieces.count == 3)
        for piece in pieces { #expect(Set(piece.map(\.stamp.fold)).count == 1 && piece.count == 20) }
    }

    @Test func `what two peers saved at one time is two pieces`() {
        let other = Stamp(1, peer: PeerID(2), fold: 1)
        let registers = [life(1, fold: 1), .life(record(2), Stamped(Life("Note", .alive), other))]
        #expect(pieces(registers, of: 1).count == 2)
    }

    @Test func `what a record names comes with it, though it was written later`() {
        let registers = [life(1, fold: 1), naming(1, 2, fold: 1), life(2, fold: 7), life(3, fold: 8)]
        #expect(pieces(registers, of: 1).map(\.count) == [3, 1])
    }

    @Test func `what is too much is cut between records, and what others name comes first`() {
        let count = 10_001
        // Each but the last one names a later one, so that the last one has to come first.
        let registers = (0..<count).flatMap { number in
            [life(number, fold: 1)]
                + (number < count - 1 ? [naming(number, min(number + 7, count - 1), fold: 1)] : [])
        }
        let pieces = pieces(registers, of: 500)
        #expect(pieces.count > 10)
        var seen: Set<RecordID> = []
        for piece in pieces {
            let homes = Set(piece.map(\.home))
            #expect(seen.isDisjoint(with: homes), "a record is whole")
            seen.formUnion(homes)
            for case .cell(_, _, let cell) in piece {
                #expect(cell.value.record.map(seen.contains) ?? false)
            }
        }
        #expect(seen.count == count)
    }

    @Test(arguments: Seed.several(40))
    func `whatever the registers are, all are joined once, with their records and saves whole`(seed: Seed) {
        var dice = RegisterDice(seed)
        dice.width = 200
        dice.peers = (1...30).map { PeerID($0) }
        let registers = dice.registers(dice.below(300))
        let pieces = pieces(registers, of: 1)
        #expect(pieces.allSatisfy { !$0.isEmpty })
        #expect(Set(pieces.joined()) == Set(registers) && pieces.joined().count == registers.count)
        for piece in pieces {
            let rest = registers.filter { !piece.contains($0) }
            let homes = Set(piece.map(\.home))
            let saves = Set(piece.map(\.stamp))
            #expect(!rest.contains { homes.contains($0.home) })
            #expect(!rest.contains { saves.contains($0.stamp) })
        }
    }
}
