// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// How a record was deleted.
///
/// `coffer.v1.ContainerDeath`.
package struct ContainerDeathMessage: Sendable, Equatable {
    /// The to-one property that a cascade took: 1 + its place in `names`; 0: by hand.
    package var through: UInt32
    /// The relationships that cascaded: places in `names`.
    package var cascaded: [UInt32]
    /// The relationships that would have denied it: places in `names`.
    package var denied: [UInt32]

    /// A message from its fields.
    package init(through: UInt32 = 0, cascaded: [UInt32] = [], denied: [UInt32] = []) {
        self.through = through
        self.cascaded = cascaded
        self.denied = denied
    }
}

extension ContainerDeathMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerDeath>) {
        unsafe coffer__v1__container_death__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerDeath>) throws(WireError) {
        let c = unsafe message.pointee
        through = unsafe c.through
        cascaded = unsafe Array(copying: c.cascaded, count: c.n_cascaded)
        denied = unsafe Array(copying: c.denied, count: c.n_denied)
    }

    func fill(_ c: inout Coffer__V1__ContainerDeath, in arena: inout PackArena) {
        unsafe c.through = through
        unsafe (c.n_cascaded, c.cascaded) = arena.numbers(cascaded)
        unsafe (c.n_denied, c.denied) = arena.numbers(denied)
    }
}
