/// Registers that changed or went, with what stood there before.
package struct ChangedRegisters: Sendable {
    /// The keys of all.
    package private(set) var keys: Set<RegisterKey> = []
    /// What stood there; nothing of what was not there.
    package private(set) var former: [RegisterKey: Register] = [:]

    init(keys: Set<RegisterKey> = [], former: [RegisterKey: Register] = [:]) {
        (self.keys, self.former) = (keys, former)
    }

    /// Notes a change; what is noted first stood there.
    mutating func note(_ key: RegisterKey, insteadOf register: Register?) {
        if keys.insert(key).inserted, let register { former[key] = register }
    }
}
