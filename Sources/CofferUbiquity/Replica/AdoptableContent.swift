package import CofferContainer
package import CofferCoordination
internal import CofferMerge
internal import CofferModel
package import CofferStores
internal import CofferWire
internal import Synchronization

/// What a store's file holds, to be joined into another store of the same model.
///
/// To join it again changes nothing: its objects have got their ids for ever.
package struct AdoptableContent: Sendable {
    let registers: [Register]
    /// The large values that rows show.
    let values: [LargeValue: AttributeValue]

    init(registers: [Register], values: [LargeValue: AttributeValue]) {
        (self.registers, self.values) = (registers, values)
    }

    /// Folds what was saved in a store that nobody shares, and reads all of it.
    ///
    /// - Parameters:
    ///   - store: The store; nobody else writes into it.
    ///   - now: The time.
    /// - Throws: `StoreError` where it cannot be read or written.
    package init(of store: PersistentStore, at now: WallTime) throws(StoreError) {
        let folded = Mutex<KeptReplica?>(nil)
        let origin = UbiquityWork.origin(at: now)
        _ = try store.save(by: origin) { [file = store.file] writer throws(StoreError) in
            var kept = try KeptReplica(reading: writer.connection, of: file, rules: ExchangeRules())
            var execution: SaveExecution?
            try writer.withSavepoint { () throws(StoreError) in
                execution = try kept.pass(on: writer, by: origin, at: now)
                return true
            }
            guard let execution else { throw .interrupted }
            folded.withLock { [kept] in $0 = kept }
            return execution
        }
        guard let kept = folded.withLock({ $0 }) else { throw .interrupted }
        registers = kept.replica.state.registers
        var values: [LargeValue: AttributeValue] = [:]
        for shown in kept.shownValues where values[shown.large] == nil {
            values[shown.large] = try store.content(of: shown)
        }
        self.values = values
    }
}

extension AdoptableContent {
    /// Joins it into a store that nobody shares, as an edit of now.
    ///
    /// - Parameters:
    ///   - store: The store, which others may read and write meanwhile.
    ///   - now: The time.
    /// - Throws: `StoreError` where it cannot be written; then nothing was.
    package func join(into store: PersistentStore, at now: WallTime) throws(StoreError) {
        let origin = UbiquityWork.origin(at: now)
        _ = try store.save(by: origin) { [file = store.file] writer throws(StoreError) in
            var kept = try KeptReplica(reading: writer.connection, of: file, rules: ExchangeRules())
            var execution: SaveExecution?
            try writer.withSavepoint { () throws(StoreError) in
                execution = try kept.adopt(self, on: writer, by: origin, at: now)
                return true
            }
            guard let execution else { throw .interrupted }
            return execution
        }
    }
}

extension PersistentStore {
    /// What a row shows of a large value now; `nil` where the row has gone.
    func content(of value: ShownValue) throws(StoreError) -> AttributeValue? {
        let request = RowsRequestMessage(
            store: 0, entity: value.row.entity, primaryKeys: [value.row.key], withoutHolding: true)
        return try rows(request).batches.first { $0.rowCount > 0 }?
            .value(ofPropertyAt: value.property, type: value.large.type)
    }
}

extension KeptReplica {
    /// Takes what another store of this machine holds: what is news goes out as if it was written here.
    mutating func adopt(
        _ content: AdoptableContent, on writer: StoreWriter, by origin: SaveOrigin, at now: WallTime
    ) throws(StoreError) -> SaveExecution {
        var arrived = ArrivedValues()
        arrived.values = content.values
        return try pass(adopting: content.registers, showing: arrived, on: writer, by: origin, at: now)
    }

    /// Takes registers of another store of this machine, and puts those that are news into the outbox.
    ///
    /// - Returns: Whose rows come up otherwise, and which records are to be kept.
    mutating func adopt(
        _ registers: [Register], at now: WallTime
    ) throws(StoreError) -> (rows: Set<RecordID>, homes: Set<RecordID>) {
        let joined = replica.joinTellingKeys(registers)
        let homes = Set(joined.keys.map(\.home))
        count(homes)
        try append(registers.filter { joined.keys.contains($0.key) }, at: now)
        return (joined.rows, homes)
    }
}

extension UbiquityWork {
    /// Takes what another store of this machine holds, to be joined at the next round of work.
    ///
    /// - Parameters:
    ///   - content: What it holds.
    ///   - done: Called once it is on the disk here; never where the work ends before.
    package func adopt(_ content: AdoptableContent, done: @escaping @Sendable () -> Void) {
        adoptions.withLock { $0.append((content, done)) }
    }

    /// Joins what was handed in of other stores, once what was saved is folded.
    func adopt() throws(StoreError) {
        while let (content, done) = adoptions.withLock({ $0.first }) {
            let execution = try change { kept, writer, origin, now throws(StoreError) in
                try kept.adopt(content, on: writer, by: origin, at: now)
            }
            adoptions.withLock { _ = $0.removeFirst() }
            report(execution)
            done()
        }
    }
}

extension UbiquitousStore {
    /// Joins what another store of this machine holds, at the next round of work.
    ///
    /// - Parameters:
    ///   - content: What it holds.
    ///   - done: Called once it is on the disk here; never where the work ends before.
    package func adopt(_ content: AdoptableContent, done: @escaping @Sendable () -> Void) {
        work.adopt(content, done: done)
        hurry()
    }
}
