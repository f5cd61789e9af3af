/// A dictionary that tells what stood under its keys before it changed, until it is to forget that.
struct Remembering<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private(set) var now: [Key: Value] = [:]
    private var former: [Key: Value?] = [:]

    /// What stands there now; what stood there is remembered if that changes.
    subscript(key: Key) -> Value? {
        get { now[key] }
        set {
            if former[key] == nil { former[key] = .some(now[key]) }
            now[key] = newValue
        }
    }

    func value(_ key: Key, at moment: Moment) -> Value? {
        if moment == .former, let value = former[key] { return value }
        return now[key]
    }

    /// Takes away what stands there, if anything does.
    mutating func remove(_ key: Key) {
        if now[key] != nil { self[key] = nil }
    }

    mutating func forgetFormer() {
        if !former.isEmpty { former = [:] }
    }
}
