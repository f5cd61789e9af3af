/// What was looked up last, so that it need not be looked up again soon; also that nothing was there.
struct LookUps<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    /// Those before, of which what is asked for is held on.
    private var old: [Key: Value] = [:]
    /// Half of how many are held at most.
    private let limit: Int

    init(limit: Int) { self.limit = limit / 2 }

    /// What was found under a key, or what `find` finds there now.
    mutating func value(of key: Key, _ find: () -> Value) -> Value {
        if let value = young[key] { return value }
        let value = old[key] ?? find()
        if young.count >= limit { (old, young) = (young, [:]) }
        young[key] = value
        return value
    }

    mutating func forgetAll() { (young, old) = ([:], [:]) }
}
