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
    /// The large values that rows show, and those that are owed to the container.
    let values: AdoptedValues

    init(registers: [Register], values: [LargeValue: AttributeValue]) {
        (self.registers, self.values) = (registers, AdoptedValues(values))
    }

    /// Folds what was saved in a store that is not shared, and reads all of it.
    ///
    /// - Parameters:
    ///   - store: The store; nothing else writes into it.
    ///   - now: The time.
    /// - Throws: `StoreError` if it cannot be read or written.
    package init(of store: PersistentStore, at now: WallTime) throws(StoreError) {
        let kept = try KeptReplica.folding(store, at: now)
        registers = kept.replica.state.registers
        values = try AdoptedValues(of: kept, in: store)
    }
}

extension AdoptableContent {
    /// Joins it into a store that is not shared, as an edit of now.
    ///
    /// - Parameters:
    ///   - store: The store, which others may read and write meanwhile.
    ///   - now: The time.
    /// - Throws: `StoreError` if it cannot be written; then nothing was.
    package func join(into store: PersistentStore, at now: WallTime) throws(StoreError) {
        let wanted = Mutex<[WantedValue]>([])
        try change(store, at: now) { kept, writer, origin throws(StoreError) in
            let execution = try kept.pass(adopting: registers, on: writer, by: origin, at: now)
            let named = kept.wantedValues.filter { values.has($0.large) }
            wanted.withLock { $0 = named }
            return execution
        }
        try values.batches(of: wanted.withLock { $0 }) { arrived throws(StoreError) in
            try change(store, at: now) { kept, writer, origin throws(StoreError) in
                try kept.pass(showing: arrived, on: writer, by: origin, at: now)
            }
        }
        try values.eachOwed { large, value throws(StoreError) in
            try change(store, at: now) { kept, writer, origin throws(StoreError) in
                try kept.pass(owing: large, value, on: writer, by: origin)
            }
        }
    }

    private func change(
        _ store: PersistentStore, at now: WallTime,
        _ body:
            @escaping @Sendable (inout KeptReplica, StoreWriter, SaveOrigin) throws(StoreError)
            -> SaveExecution
    ) throws(StoreError) {
        let origin = UbiquityWork.origin(at: now)
        _ = try store.save(by: origin) { [file = store.file] writer throws(StoreError) in
            var kept = try KeptReplica(reading: writer.connection, of: file, rules: ExchangeRules())
            var execution: SaveExecution?
            try writer.withSavepoint { () throws(StoreError) in
                execution = try body(&kept, writer, origin)
                return true
            }
            try kept.lookedUp?.check()
            guard let execution else { throw .interrupted }
            return execution
        }
    }
}

extension KeptReplica {
    /// Folds what was saved in a store that is not shared, and reads what it keeps then.
    ///
    /// - Parameters:
    ///   - store: The store; nothing else writes into it.
    ///   - now: The time.
    ///   - body: Given what it kept before, inside the transaction.
    /// - Returns: What it keeps then.
    /// - Throws: `StoreError` if it cannot be read or written.
    static func folding(
        _ store: PersistentStore, at now: WallTime,
        _ body: @escaping @Sendable (KeptReplica, StoreWriter) throws(StoreError) -> Void = { _, _ in }
    ) throws(StoreError) -> KeptReplica {
        let folded = Mutex<KeptReplica?>(nil)
        let origin = UbiquityWork.origin(at: now)
        _ = try store.save(by: origin) { [file = store.file] writer throws(StoreError) in
            var kept = try KeptReplica(
                reading: writer.connection, of: file, rules: ExchangeRules(), isWhole: true)
            try body(kept, writer)
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
        return kept
    }
}

extension PersistentStore {
    /// What a row shows of a large value now; `nil` if the row has gone.
    func content(of value: ShownValue) throws(StoreError) -> AttributeValue? {
        let request = RowsRequestMessage(
            store: 0, entity: value.row.entity, primaryKeys: [value.row.key], withoutHolding: true)
        return try rows(request).batches.first { $0.rowCount > 0 }?
            .value(ofPropertyAt: value.property, type: value.large.type)
    }
}

extension KeptReplica {
    /// Takes registers of another store of this machine, and puts those that are news into the outbox.
    ///
    /// - Returns: Whose rows come up otherwise, and which records are to be kept.
    mutating func adopt(
        _ registers: [Register], at now: WallTime
    ) throws(StoreError) -> (rows: Set<RecordID>, homes: Set<RecordID>) {
        let joined = replica.joinTellingRegisters(registers)
        let homes = Set(joined.changed.keys.map(\.home))
        try append(registers.filter { joined.changed.keys.contains($0.key) }, joined.changed, at: now)
        return (joined.rows, homes)
    }
}

/// What is to be joined into a shared store besides what comes out of its container.
enum IncomingContent: Sendable {
    /// What another store of this machine holds.
    case adopted(AdoptableContent, done: @Sendable () -> Void)
    /// What is to be the content from now on.
    case restored(Restoration)

    fileprivate var values: AdoptedValues {
        switch self {
        case .adopted(let content, _): content.values
        case .restored(let restoration): restoration.content.values
        }
    }
}

extension UbiquityWork {
    /// Takes what another store of this machine holds, to be joined at the next round of work.
    ///
    /// - Parameters:
    ///   - content: What it holds.
    ///   - done: Called once it is on the disk here; never if the work ends before.
    package func adopt(_ content: AdoptableContent, done: @escaping @Sendable () -> Void) {
        incoming.withLock { $0.append(.adopted(content, done: done)) }
    }

    /// Joins what was handed in of other stores, once what was saved is folded.
    ///
    /// What is news goes out as if it was written here; rows show large values once all registers are joined.
    func takeIncoming() throws(StoreError) {
        while let content = incoming.withLock({ $0.first }) {
            do throws(StoreError) {
                try write(content)
                try showValues(of: content)
            } catch {
                guard case .restored(let restoration) = content else { throw error }
                // What is of no use keeps nothing else waiting.
                guard restoration.isGivenUp || error.isOfContent else { throw error }
                restoration.end(.failure(error))
                incoming.withLock { _ = $0.removeFirst() }
                continue
            }
            incoming.withLock { _ = $0.removeFirst() }
            switch content {
            case .adopted(_, let done): done()
            case .restored(let restoration): restoration.end(.success(try inStore { $0.number }))
            }
        }
    }

    private func write(_ content: IncomingContent) throws(StoreError) {
        switch content {
        case .adopted(let content, _):
            report(
                try change { kept, writer, origin, now throws(StoreError) in
                    try kept.pass(adopting: content.registers, on: writer, by: origin, at: now)
                })
        case .restored(let restoration):
            do throws(StoreError) {
                let uuid = try inStore { $0.uuid }
                report(
                    try change { kept, writer, origin, now throws(StoreError) in
                        guard restoration.begin() else { throw .interrupted }
                        return try kept.pass(
                            restoring: (restoration.content, uuid), on: writer, by: origin, at: now)
                    })
            } catch {
                restoration.retreat()
                throw error
            }
        }
    }

    private func showValues(of content: IncomingContent) throws(StoreError) {
        let wanted = try read { $0.wantedValues }.filter { content.values.has($0.large) }
        try content.values.batches(of: wanted) { arrived throws(StoreError) in
            report(
                try change { kept, writer, origin, now throws(StoreError) in
                    try kept.pass(showing: arrived, on: writer, by: origin, at: now)
                })
        }
        try content.values.eachOwed { large, value throws(StoreError) in
            _ = try change { kept, writer, origin, _ throws(StoreError) in
                try kept.pass(owing: large, value, on: writer, by: origin)
            }
        }
    }

    /// Ends the wait for what will not be written.
    func dropIncoming() {
        for case .restored(let restoration) in incoming.withLock({ $0 }) {
            restoration.end(.failure(.interrupted))
        }
    }
}

extension UbiquitousStore {
    /// Joins what another store of this machine holds, at the next round of work.
    ///
    /// - Parameters:
    ///   - content: What it holds.
    ///   - done: Called once it is on the disk here; never if the work ends before.
    package func adopt(_ content: AdoptableContent, done: @escaping @Sendable () -> Void) {
        work.adopt(content, done: done)
        hurry()
    }
}
