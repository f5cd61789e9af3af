package import CofferStores
package import CofferWire

extension CopiedStoreMessage {
    /// What was made, for the clients that asked.
    package init(_ outcome: StoreCopy.Outcome) {
        self.init(
            formerUUID: outcome.formerUUID, uuid: outcome.uuid, number: outcome.number,
            offsets: outcome.shift.offsets.sorted { $0.key < $1.key }.map {
                KeyOffsetMessage(root: $0.key, offset: UInt64(clamping: $0.value))
            }, leftOut: Array(outcome.leftOut.prefix(100)), missingCount: UInt64(outcome.missingCount),
            missingValues: outcome.missingValues)
    }
}
