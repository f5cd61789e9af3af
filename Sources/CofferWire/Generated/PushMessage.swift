// Made by Protos/generate: do not edit.

/// What the service sends unasked.
///
/// Numbers of kinds are reserved for what later versions push.
///
/// `coffer.v1.Push`.
package struct PushMessage: Sendable, Equatable {
    /// What there is to tell.
    package var kind: PushKind
    /// The receiver's handle.
    package var store: UInt32
    /// With this push the client has everything up to it, if it had everything up to `previous`.
    package var number: UInt64
    /// What the client must have had, so that it has everything up to `number`.
    package var previous: UInt64
    /// Of KIND_DID_SAVE and KIND_DID_IMPORT: what was committed.
    package var transaction: TransactionMessage?
    /// KIND_STORES_DID_CHANGE: the store is gone.
    package var isRemoved: Bool
    /// KIND_STORES_DID_CHANGE: its objects are in the new file, with other ids.
    package var moved: CopiedStoreMessage?
    /// KIND_STORES_DID_CHANGE: it failed, and all is as it was under a handle that is asked for again.
    package var isUnchanged: Bool
    /// KIND_STORES_WILL_CHANGE, KIND_STORES_DID_CHANGE: why, as in StoresWillChangeRequest.
    package var transitionKind: StoreTransitionKind?
    /// With `transition`: the question that it is the end of.
    package var question: UInt64

    /// A message from its fields.
    package init(
        kind: PushKind, store: UInt32, number: UInt64, previous: UInt64,
        transaction: TransactionMessage? = nil, isRemoved: Bool = false, moved: CopiedStoreMessage? = nil,
        isUnchanged: Bool = false, transitionKind: StoreTransitionKind? = nil, question: UInt64 = 0
    ) {
        self.kind = kind
        self.store = store
        self.number = number
        self.previous = previous
        self.transaction = transaction
        self.isRemoved = isRemoved
        self.moved = moved
        self.isUnchanged = isUnchanged
        self.transitionKind = transitionKind
        self.question = question
    }
}

extension PushMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.Push" }

    var aboutByteCount: Int { 46 + (transaction?.aboutByteCount ?? 0) + (moved?.aboutByteCount ?? 0) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(
            kind: .didSave, store: 0, number: 0, previous: 0, transaction: nil, isRemoved: false, moved: nil,
            isUnchanged: false, transitionKind: nil, question: 0)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var kindNumber: UInt32 = 0
        var transactionRun = MergedRun()
        var movedRun = MergedRun()
        var transitionKindNumber: UInt32 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: kindNumber = try reader.number32(field)
            case 2: store = try reader.number32(field)
            case 3: number = try reader.number(field)
            case 4: previous = try reader.number(field)
            case 5: unsafe transactionRun.take(try reader.run(field))
            case 6: isRemoved = try reader.flag(field)
            case 7: unsafe movedRun.take(try reader.run(field))
            case 8: isUnchanged = try reader.flag(field)
            case 9: transitionKindNumber = try reader.number32(field)
            case 10: question = try reader.number(field)
            default: try reader.skip(field)
            }
        }
        kind = try requiredChoice(kindNumber, "coffer.v1.Push.kind")
        transaction = try reader.message(of: transactionRun)
        moved = try reader.message(of: movedRun)
        transitionKind = try optionalChoice(transitionKindNumber, "coffer.v1.Push.transition")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(kind.wire))
        writer.put(2, number: UInt64(store))
        writer.put(3, number: number)
        writer.put(4, number: previous)
        if let transaction { try writer.put(5, message: transaction) }
        writer.put(6, flag: isRemoved)
        if let moved { try writer.put(7, message: moved) }
        writer.put(8, flag: isUnchanged)
        writer.put(9, number: UInt64(transitionKind?.wire ?? 0))
        writer.put(10, number: question)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
