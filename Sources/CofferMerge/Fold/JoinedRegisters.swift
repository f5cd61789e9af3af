/// What came of joining registers.
package struct JoinedRegisters: Sendable {
    /// What was seen before of each object that came, changed or went.
    package let former: [RecordID: SeenObject?]
    /// Some of these: those of which it is known that attributes alone changed, and all links are as they
    /// were; `former` does not tell their members.
    package let lone: Set<RecordID>
    /// The registers that changed or went.
    package let changed: ChangedRegisters
}

extension Replica {
    /// Takes what others wrote, and tells what was seen before of what that changed.
    package mutating func joinTellingFormer(_ registers: some Sequence<Register>) -> JoinedRegisters {
        let changed = put(registers)
        let change = see(changed.keys)
        return JoinedRegisters(former: change.former, lone: change.lone, changed: changed)
    }
}
