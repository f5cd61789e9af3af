public import CofferModel
import CofferWire
public import FoundationEssentials

/// What happened to an object in a transaction.
public struct HistoryChange: Sendable, Equatable {
    /// What happened; the raw values are Core Data's.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// The object was inserted.
        case insert = 0
        /// The object was changed.
        case update = 1
        /// The object was deleted.
        case delete = 2
    }

    /// The transaction's number.
    public let transactionNumber: UInt64
    /// The place of the change in its transaction, counted from 0.
    public let changeID: Int
    /// The object.
    public let objectID: ManagedObjectID
    /// What happened to it.
    public let kind: Kind
    /// The properties that an update changed, relationships included, by name.
    public let updatedProperties: [String]
    /// What a deleted object had in attributes that the model preserves in history.
    public let tombstone: [String: AttributeValue]
}

/// One commit of a store, as history keeps it.
public struct HistoryTransaction: Sendable, Equatable {
    /// The number of the transaction: each commit of a store has the next one.
    public var number: UInt64 { message.number }
    /// When it was committed.
    public var timestamp: Date { Date(timeIntervalSinceReferenceDate: message.timestamp) }
    /// The author of the save, as the application named it.
    public var author: String { message.author }
    /// The name of the context.
    public var contextName: String { message.contextName }
    /// The name of the process.
    public var process: String { message.process }
    /// The application's id.
    public var application: String { message.application }
    /// The store, by its UUID.
    public let storeUUID: UUID
    /// What changed, in the order of the commit; `nil` if it was not asked for.
    public internal(set) var changes: [HistoryChange]?
    /// The place right after it in its store's history.
    public var token: HistoryToken { HistoryToken(numbers: [storeUUID: number]) }

    let message: TransactionMessage

    init(_ message: TransactionMessage, store: UUID, model: ManagedObjectModel, withChanges: Bool) {
        self.message = message
        storeUUID = store
        changes = withChanges ? Self.changes(of: message, store, model) : nil
    }

    private static func changes(
        of message: TransactionMessage, _ store: UUID, _ model: ManagedObjectModel
    ) -> [HistoryChange] {
        var changes: [HistoryChange] = []
        for group in message.changes where model.entities.indices.contains(group.entity) {
            let entity = model.entities[group.entity]
            let names = group.properties.filter(entity.properties.indices.contains).map {
                entity.properties[$0].name
            }
            for (row, key) in group.primaryKeys.enumerated() {
                changes.append(
                    HistoryChange(
                        transactionNumber: message.number, changeID: changes.count,
                        objectID: ManagedObjectID(entity: entity, storeUUID: store, key: .permanent(key)),
                        kind: HistoryChange.Kind(group.kind),
                        updatedProperties: group.kind == .update ? names : [],
                        tombstone: group.kind == .delete
                            ? values(in: group.columns, row: row, of: entity) : [:]))
            }
        }
        return changes
    }

    private static func values(
        in columns: [Column], row: Int, of entity: EntityDescription
    ) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for column in columns where entity.properties.indices.contains(column.property) {
            guard let attribute = entity.properties[column.property].attribute else { continue }
            values[attribute.name] = column.value(at: row, type: attribute.type)
        }
        return values
    }
}

extension HistoryChange.Kind {
    init(_ kind: ChangeKind) {
        self =
            switch kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
    }
}

/// A transaction as predicates see it.
struct TransactionSubject: PredicateSubject {
    let transaction: HistoryTransaction

    var identity: AttributeValue { .integer(Int64(clamping: transaction.number)) }

    func value(forKey key: String) throws(QueryError) -> SubjectValue {
        switch key {
        case "transactionNumber", "number", "token": .value(identity)
        case "author": .value(.string(transaction.author))
        case "contextName": .value(.string(transaction.contextName))
        case "process", "processID": .value(.string(transaction.process))
        case "application", "bundleID": .value(.string(transaction.application))
        case "timestamp": .value(.date(transaction.timestamp))
        case "storeID", "storeUUID": .value(.uuid(transaction.storeUUID))
        default: throw .unknownKey(key, keyPath: key, entity: "Transaction")
        }
    }
}

/// A change as predicates see it.
struct ChangeSubject: PredicateSubject {
    let change: HistoryChange
    let transaction: HistoryTransaction

    var identity: AttributeValue { .integer(Int64(change.changeID)) }

    func value(forKey key: String) throws(QueryError) -> SubjectValue {
        switch key {
        case "changeID": .value(identity)
        case "changeType", "kind": .value(.integer(Int64(change.kind.rawValue)))
        case "changedEntity", "entityName": .value(.string(change.objectID.entity.name))
        case "changedObjectID", "objectID": .value(.object(change.objectID))
        case "updatedProperties": .values(change.updatedProperties.map { .string($0) })
        case "transaction": .object(TransactionSubject(transaction: transaction))
        default: throw .unknownKey(key, keyPath: key, entity: "Change")
        }
    }
}
