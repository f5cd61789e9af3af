/// What came of joining registers.
package struct JoinedRegisters: Sendable {
    /// What was seen before of each object that came, changed or went.
    package let former: [RecordID: SeenObject?]
    /// The keys of the registers that changed or went.
    package let keys: Set<RegisterKey>
}

extension Replica {
    /// Takes what others wrote, and tells what was seen before of what that changed.
    package mutating func joinTellingFormer(_ registers: some Sequence<Register>) -> JoinedRegisters {
        let changed = put(registers)
        return JoinedRegisters(former: see(changed).former, keys: changed)
    }
}
