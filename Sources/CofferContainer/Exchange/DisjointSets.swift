/// Sets of numbers below a count, each of which is in one.
struct DisjointSets {
    private var parents: [Int]

    /// Each number in a set of its own.
    init(count: Int) { parents = Array(0..<count) }

    /// The number that stands for the set of one.
    mutating func root(of number: Int) -> Int {
        var number = number
        while parents[number] != number {
            parents[number] = parents[parents[number]]
            number = parents[number]
        }
        return number
    }

    /// Makes two sets one.
    mutating func join(_ one: Int, _ other: Int) {
        let (one, other) = (root(of: one), root(of: other))
        parents[max(one, other)] = min(one, other)
    }
}
