/// A dictionary that tells what stood under its keys before it changed, until it is to forget that.
///
/// Over a base it holds what changed, and looks up the rest.
struct Remembering<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What stands in the base under a key.
    private let below: (@Sendable (Key) -> Value?)?
    /// What stands here, or no longer stands in the base.
    private(set) var here: [Key: Value?] = [:]
    private var former: [Key: Value?] = [:]

    init(over below: (@Sendable (Key) -> Value?)? = nil) { self.below = below }

    /// What stands there now; what stood there is remembered if that changes.
    subscript(key: Key) -> Value? {
        get {
            if let value = here[key] { return value }
            return below?(key)
        }
        set {
            if former[key] == nil { former[key] = .some(self[key]) }
            if below == nil, newValue == nil {
                here.removeValue(forKey: key)
            } else {
                here.updateValue(newValue, forKey: key)
            }
        }
    }

    func value(_ key: Key, at moment: Moment) -> Value? {
        if moment == .former, let value = former[key] { return value }
        return self[key]
    }

    /// Takes away what stands there, if anything does.
    mutating func remove(_ key: Key) {
        if self[key] != nil { self[key] = nil }
    }

    mutating func forgetFormer() {
        if !former.isEmpty { former = [:] }
    }
}
