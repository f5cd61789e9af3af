internal import CofferContainer
package import CofferCoordination
internal import CofferMerge
package import CofferModel
internal import CofferSQLite
package import CofferStores
internal import CofferWire
internal import FoundationEssentials

/// What the model forbids of a shared store's objects, and is there since changes of several machines met.
///
/// What only has not come yet does not count.
package struct ReplicaViolations: Sendable {
    /// How many are told of one by one.
    package static let told = 1_000

    /// One of them.
    package struct Violation: Sendable, Hashable {
        /// The object.
        package let object: ManagedObjectID
        /// What is wrong of it: attributes or a relationship.
        package let properties: [String]
        /// How it is wrong, in a word: `required`, `too_small`, `too_large`, `no_match`, `too_few`,
        /// `too_many`, or `key_taken` if another entity's object has the same key.
        package let reason: String
        /// The same, for people.
        package let text: String
    }

    /// How many there are.
    package private(set) var count = 0
    /// Of these the first.
    package private(set) var first: [Violation] = []

    /// Looks at all rows of a store, and writes nothing; saves wait meanwhile.
    ///
    /// - Returns: `nil` if the store keeps no registers, since it was never shared.
    /// - Throws: `StoreError`, of a store that is open for reading alone too.
    package static func of(_ store: PersistentStore) throws(StoreError) -> ReplicaViolations? {
        let (file, uuid) = (store.file, store.uuid)
        return try store.write { writer throws(StoreError) in
            let tables = ReplicaTables(connection: writer.connection)
            guard try ReplicaTables.translating({ () throws(SQLiteError) in try tables.exist }) else {
                return nil
            }
            let kept = try KeptReplica(reading: writer.connection, of: file, rules: ExchangeRules())
            var found = ReplicaViolations()
            for entity in kept.model.entities where !entity.isAbstract {
                try writer.brokenRules(ofEntityAt: entity.index) { rule in
                    if kept.isStillToCome(rule) { return }
                    found.note(rule, of: entity, in: uuid)
                }
            }
            found.noteTakenKeys(kept, in: uuid)
            try kept.lookedUp?.check()
            return found
        }
    }
}

extension ReplicaViolations {
    private mutating func note(_ rule: BrokenRule, of entity: EntityDescription, in store: UUID) {
        note(
            Violation(
                object: ManagedObjectID(
                    entity: entity, storeUUID: store, key: .permanent(rule.primaryKey)),
                properties: [rule.property], reason: rule.reason.rawValue, text: rule.text))
    }

    /// Objects whose keys those of other entities have, too: some are seen without them.
    private mutating func noteTakenKeys(_ kept: KeptReplica, in store: UUID) {
        let taken = kept.replica.graph.violations.filter { $0.kind == .keyTaken }
        for violation in taken.sorted(by: { $0.object < $1.object }) {
            guard let row = kept.book.row(of: violation.object) else { continue }
            let entity = kept.model.entities[row.entity]
            let names = violation.properties.joined(separator: ", ")
            note(
                Violation(
                    object: ManagedObjectID(entity: entity, storeUUID: store, key: .permanent(row.key)),
                    properties: violation.properties, reason: "key_taken",
                    text: "another object has the key '\(entity.name).\(names)', which is seen as null here"))
        }
    }

    private mutating func note(_ violation: Violation) {
        count += 1
        if first.count < Self.told { first.append(violation) }
    }
}

extension KeptReplica {
    /// Whether what seems to be missing of an object has been written elsewhere, and has not come yet.
    fileprivate func isStillToCome(_ rule: BrokenRule) -> Bool {
        guard rule.reason == .required || rule.reason == .tooFew,
            let name = book.name(at: RowAddress(entity: rule.entity, key: rule.primaryKey)),
            let object = replica.graph.object(name, withMembers: false)
        else { return false }
        if rule.reason == .tooFew { return isNamedByStrangers(object) }
        if object.largeValues[rule.property] != nil { return true }
        let description = model.entities[rule.entity].properties.first { $0.name == rule.property }
        guard case .relationship? = description else { return false }
        let missing = Violation(of: name, [rule.property], .missing)
        return !replica.graph.has(missing)
    }

    /// Whether records that are not known yet belong to the object, as far as what has come says.
    private func isNamedByStrangers(_ object: SeenObject) -> Bool {
        object.records.contains { record in
            replica.registers.pairs(of: record).contains { key in
                let other = key.first == record ? key.second : key.first
                return replica.registers.life(of: other) == nil
            }
        }
    }
}
