import CofferMerge
import TestSupport
import Testing

@Suite struct `A map of properties` {
    @Test(arguments: Seed.several(100))
    func `holds what a dictionary would`(seed: Seed) {
        var random = seed.generator()
        var (map, expected): (PropertyMap<Int>, [String: Int]) = ([:], [:])
        for step in 0..<60 {
            let name = "property\(Int.random(in: 0..<12, using: &random))"
            let value = Bool.random(using: &random) ? step : nil
            map[name] = value
            expected[name] = value
            #expect(map[name] == expected[name] && map.count == expected.count)
        }
        #expect(Array(map.keys) == expected.keys.sorted())
        #expect(Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) }) == expected)
        let even = map.filter { $0.value.isMultiple(of: 2) }
        #expect(Set(even.keys) == Set(expected.filter { $0.value.isMultiple(of: 2) }.keys))
        #expect(map.compactMapValues { $0 > 30 ? $0 : nil }.count == expected.count { $0.value > 30 })
    }

    @Test(arguments: Seed.several(20))
    func `is the same in whatever order it was filled`(seed: Seed) {
        var random = seed.generator()
        let names = (0..<9).map { "property\($0)" }
        let maps = (0..<2).map { _ in
            names.shuffled(using: &random).reduce(into: PropertyMap<String>()) { $0[$1] = "of \($1)" }
        }
        #expect(maps[0] == maps[1] && Set(maps).count == 1)
    }
}
