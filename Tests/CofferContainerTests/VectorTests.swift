import CofferContainer
import CofferMerge
import TestSupport
import Testing

@Suite struct `A set of folds` {
    @Test(arguments: Seed.several(300))
    func `holds what was put into it`(seed: Seed) {
        var random = seed.generator()
        var (folds, plain): (FoldSet, Set<UInt64>) = (FoldSet(), [])
        for _ in 0..<12 {
            let first = UInt64.random(in: 1...40, using: &random)
            let run = first...first + UInt64.random(in: 0...6, using: &random)
            folds.insert(run)
            plain.formUnion(run)
            #expect(folds.contains(run))
        }
        #expect(folds.last == plain.max())
        #expect((1...50).allSatisfy { folds.contains($0...$0) == plain.contains($0) })
        #expect(Set(folds.missing.flatMap(\.self)) == Set(1...(plain.max() ?? 1)).subtracting(plain))
        #expect(Set(folds.through(20).runs.flatMap(\.self)) == plain.filter { $0 <= 20 })
        #expect(folds.gaplessLast == (1...60).first { !plain.contains($0) }.map { $0 - 1 })
        var (other, otherPlain): (FoldSet, Set<UInt64>) = (FoldSet(), [])
        for _ in 0..<6 {
            let first = UInt64.random(in: 1...40, using: &random)
            other.insert(first...first + 3)
            otherPlain.formUnion(first...first + 3)
        }
        #expect(Set(folds.subtracting(other).runs.flatMap(\.self)) == plain.subtracting(otherPlain))
        #expect(folds.isSuperset(of: other) == plain.isSuperset(of: otherPlain))
    }

    @Test func `ends at the last number that there is`() {
        var folds = FoldSet(1...UInt64.max)
        folds.insert(5...UInt64.max)
        #expect(folds.missing.isEmpty && folds.runs.count == 1)
        #expect(folds.subtracting(FoldSet(7...UInt64.max)) == FoldSet(1...6))
    }
}

@Suite struct `A book of chains` {
    private static let writer = PeerID(77)

    /// Chains that share their beginnings: each leaves one of those before it after some fold.
    private func chains(_ random: inout SeededGenerator) throws -> [[ChainHash]] {
        var chains: [[ChainHash]] = []
        for number in 0..<Int.random(in: 2...4, using: &random) {
            var hashes: [ChainHash] = []
            if let parent = chains.randomElement(using: &random) {
                hashes = Array(parent.prefix(Int.random(in: 0...6, using: &random)))
            }
            while hashes.count < 8 {
                let fold = UInt64(hashes.count + 1)
                let register = Register.cell(
                    RecordID(high: UInt64(number), low: fold), "a",
                    Stamped(Cell(.null), Stamp(1, peer: Self.writer, fold: fold)))
                hashes.append(try (hashes.last ?? .start).following(fold: fold, [register]))
            }
            chains.append(hashes)
        }
        return chains
    }

    @Test(arguments: Seed.several(300))
    func `names chains the same in whatever order their logs come`(seed: Seed) throws {
        var random = seed.generator()
        let chains = try chains(&random)
        var logs: [ChainSegment] = []
        for hashes in chains {
            let cut = Int.random(in: 1...7, using: &random)
            for range in [0..<cut, cut..<8] {
                let before = range.lowerBound == 0 ? .start : hashes[range.lowerBound - 1]
                let segment = ChainSegment(
                    first: UInt64(range.lowerBound + 1), before: before, hashes: Array(hashes[range]))
                logs.append(try #require(segment))
            }
        }
        var namings: Set<[PeerID]> = []
        for _ in 0..<6 {
            var book = ChainBook()
            // Each chain's folds come in order, as they are applied.
            var rest = chains.indices.map { [logs[2 * $0], logs[2 * $0 + 1]] }
            while let index = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
                book.have(rest[index].removeFirst(), by: Self.writer)
            }
            let vector = book.vector
            let names = chains.indices.map { book.name(of: logs[2 * $0 + 1], by: Self.writer) }
            namings.insert(names)
            #expect(Set(names).count == Set(chains).count, "two chains are two peers")
            #expect(names.contains(Self.writer))
            #expect(Set(vector.entries.keys) == Set(names))
            for (name, hashes) in zip(names, chains) {
                #expect(vector.folds(of: name) == FoldSet(1...8))
                #expect(vector.entries[name]?.chain == hashes.last)
            }
        }
        #expect(namings.count == 1)
    }

    @Test func `has no fold of another chain than the one that a vector ends with`() throws {
        var random = Seed.printed(for: "Ends").generator()
        let hashes = try chains(&random)[0]
        var vector = KnowledgeVector()
        vector.insert(FoldSet(1...5), of: Self.writer, chain: hashes[4])
        var book = ChainBook()
        book.have(vector)
        #expect(book.has(hashes[4], at: 5, by: Self.writer))
        #expect(!book.has(hashes[3], at: 5, by: Self.writer), "any other hash")
        #expect(book.has(hashes[2], at: 3, by: Self.writer), "it may be on the way")
    }

    @Test func `takes a log behind a gap as the one chain's that is known`() throws {
        var random = Seed.printed(for: "Chains").generator()
        let hashes = try chains(&random)[0]
        var book = ChainBook()
        let first = try #require(ChainSegment(first: 1, before: .start, hashes: Array(hashes[0..<2])))
        let late = try #require(ChainSegment(first: 5, before: hashes[3], hashes: Array(hashes[4..<6])))
        book.have(first, by: Self.writer)
        #expect(book.unknown(of: late, by: Self.writer) == FoldSet(5...6))
        book.have(late, by: Self.writer)
        #expect(book.unknown(of: late, by: Self.writer).isEmpty)
        #expect(Array(book.vector.entries.keys) == [Self.writer])
        #expect(book.vector.folds(of: Self.writer).missing == [3...4])
        #expect(book.vector.entries[Self.writer]?.chain == hashes[5])
        #expect(book.contradicts(hashes[0], at: 2, by: Self.writer))
        #expect(!book.contradicts(hashes[1], at: 2, by: Self.writer))
    }

    @Test(arguments: Seed.several(200))
    func `claims no fold of a chain that it does not have`(seed: Seed) throws {
        var random = seed.generator()
        let chains = try chains(&random)
        var book = ChainBook()
        var had: Set<ChainHash> = []
        for _ in 0..<8 {
            let hashes = chains[Int.random(in: chains.indices, using: &random)]
            let first = Int.random(in: 0..<8, using: &random)
            let last = Int.random(in: first..<8, using: &random)
            let before = first == 0 ? .start : hashes[first - 1]
            let segment = ChainSegment(
                first: UInt64(first + 1), before: before, hashes: Array(hashes[first...last]))
            book.have(try #require(segment), by: Self.writer)
            had.formUnion(hashes[first...last])
        }
        for hashes in chains {
            let segment = try #require(ChainSegment(first: 1, before: .start, hashes: hashes))
            var known = book
            // Once it is known which chain is which, exactly those are lacking that never came.
            known.note(segment, by: Self.writer)
            for chain in chains {
                known.note(
                    try #require(ChainSegment(first: 1, before: .start, hashes: chain)), by: Self.writer)
            }
            let exact = known.unknown(of: segment, by: Self.writer)
            let never = (1...8).filter { !had.contains(hashes[$0 - 1]) }
            #expect(Set(exact.runs.flatMap(\.self)) == Set(never.map(UInt64.init)))
        }
    }
}

@Suite struct `A peer's identity` {
    private static let place = PeerIdentity.Place(machine: "m", boot: "b", device: 1, file: 2)
    private let identity = PeerIdentity(PeerID(1), place: place)

    @Test(arguments: [
        (PeerIdentity.Place(machine: "m", boot: "b", device: 1, file: 2), PeerIdentity.Doubt?.none),
        (PeerIdentity.Place(machine: "m", boot: "c", device: 9, file: 2), nil),
        (PeerIdentity.Place(machine: "m", boot: "b", device: 9, file: 2), .otherFile),
        (PeerIdentity.Place(machine: "m", boot: "c", device: 1, file: 3), .otherFile),
        (PeerIdentity.Place(machine: "n", boot: "b", device: 1, file: 2), .otherMachine),
    ])
    func `is in doubt on another machine and in another file`(
        place: PeerIdentity.Place, doubt: PeerIdentity.Doubt?
    ) {
        #expect(identity.doubt(at: place) == doubt)
    }
}
