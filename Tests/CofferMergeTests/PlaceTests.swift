import CofferMerge
import TestSupport
import Testing

@Suite struct `Places of a run` {
    @Test(arguments: Seed.several(20))
    func `stand in order between any neighbours`(seed: Seed) throws {
        var generator = seed.generator()
        var places: [Place] = []
        for turn in 0..<200 {
            let spot = Int.random(in: 0...places.count, using: &generator)
            let (left, right) = (spot > 0 ? places[spot - 1] : nil, spot < places.count ? places[spot] : nil)
            let count = Int.random(in: 1...4, using: &generator)
            let made = try #require(
                PlaceSteps.run(of: count, between: left, and: right, salt: UInt32(turn)))
            places.insert(contentsOf: made, at: spot)
            #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func `grow by the logarithm at either end`() throws {
        var first: Place?
        var last: Place?
        for turn in 0..<2_000 {
            let before = try #require(PlaceSteps.run(of: 1, between: nil, and: first, salt: 1))[0]
            let behind = try #require(PlaceSteps.run(of: 1, between: last, and: nil, salt: 2))[0]
            if turn > 0 { #expect(first.map { before < $0 } ?? false && last.map { $0 < behind } ?? false) }
            (first, last) = (before, behind)
        }
        #expect((first?.bytes.count ?? 99) <= 8 && (last?.bytes.count ?? 99) <= 8)
    }

    @Test(arguments: Seed.several(20))
    func `fit between bytes that others wrote, or nothing does`(seed: Seed) {
        var generator = seed.generator()
        for _ in 0..<300 {
            let drawn = (0..<2).map { _ in
                Place(
                    (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                        [0, 1, 0x7F, 0x80, 0x81, 0xFF][Int.random(in: 0..<6, using: &generator)]
                    })
            }
            let (left, right) = (min(drawn[0], drawn[1]), max(drawn[0], drawn[1]))
            guard let made = PlaceSteps.run(of: 2, between: left, and: right, salt: 7) else { continue }
            #expect(left < made[0] && made[0] < made[1] && made[1] < right)
        }
    }
}
