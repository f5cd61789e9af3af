extension RelationshipReplyMessage {
    /// Refuses members that are not those of the owners one after the other, each with its entity.
    func checkFields() throws(WireError) {
        let keyCount = primaryKeys.count
        guard entities.count == keyCount else {
            throw .malformed(
                "coffer.v1.RelationshipReply.entities: \(entities.count) for \(keyCount) objects")
        }
        var previous: UInt32 = 0
        for end in ends {
            guard end >= previous else { throw .malformed("coffer.v1.RelationshipReply.ends: do not ascend") }
            previous = end
        }
        guard Int(previous) == keyCount else {
            throw .malformed("coffer.v1.RelationshipReply.ends: \(previous) of \(keyCount) objects")
        }
    }
}
