/// What was looked up last, so that it need not be looked up again soon; also that nothing was there.
struct LookUps<Key: Hashable, Value> {
    private var found: [Key: Value] = [:]
    /// How many are held at most.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// What was found under a key, or what `find` finds there now.
    mutating func value(of key: Key, _ find: () -> Value) -> Value {
        if let value = found[key] { return value }
        let value = find()
        note(value, of: key)
        return value
    }

    /// Holds what is under a key.
    mutating func note(_ value: Value, of key: Key) {
        if found.count >= limit { found.removeAll(keepingCapacity: true) }
        found[key] = value
    }

    mutating func forgetAll() { found = [:] }
}
