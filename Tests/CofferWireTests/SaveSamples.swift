import CofferModel
import CofferWire
import FoundationEssentials

/// Random messages about saves, history and stores.
extension Dice {
    mutating func deletes() -> DeleteGroup {
        let count = below(5)
        let detached = below(4)
        return DeleteGroup(
            entity: below(50), primaryKeys: rows(count) { $0.key() }, versions: rows(count) { $0.number32() },
            detachedRows: rows(detached) { $0.number32() },
            detachedProperties: rows(detached) { $0.number32() })
    }

    mutating func updates() -> UpdateGroup {
        let count = below(5)
        return UpdateGroup(
            entity: below(50), primaryKeys: rows(count) { $0.key() }, versions: rows(count) { $0.number32() },
            columns: columns(count), oldColumns: columns(count), otherColumns: columns(count))
    }

    mutating func inserts() -> InsertGroup {
        let count = below(5)
        return InsertGroup(
            entity: below(50), temporaryIDs: rows(count) { $0.uuid() }, columns: columns(count),
            firstKey: flag() ? 0 : key())
    }

    mutating func setChange() -> SetChange {
        let count = below(20)
        return SetChange(
            entity: below(50), property: below(50), owners: rows(count) { $0.key() },
            targets: rows(count) { $0.key() }, removed: flag() ? [] : bytes((count + 7) / 8))
    }

    mutating func orderChange() -> OrderChange {
        let count = below(20)
        return OrderChange(
            entity: below(50), property: below(50), owners: rows(count) { $0.key() },
            members: rows(count) { $0.key() }, after: rows(count) { $0.key() })
    }

    mutating func save() -> SaveRequestMessage {
        SaveRequestMessage(
            store: number32(),
            request: RequestIDMessage(
                client: uuid(), sequence: number(), acknowledged: number(), isRetry: flag()),
            author: text(), contextName: text(), mergePolicy: MergePolicyMessage.allCases[below(5)],
            inserts: list { $0.inserts() }, updates: list { $0.updates() }, deletes: list { $0.deletes() },
            setChanges: list { $0.setChange() }, orderChanges: list { $0.orderChange() },
            constraintPolicy: maybe { MergePolicyMessage.allCases[$0.below(5)] },
            batch: maybe { $0.batchWork() }, isBackground: flag())
    }

    mutating func batchWork() -> BatchMessage {
        BatchMessage(
            updates: list { dice in
                BatchUpdateMessage(
                    entity: dice.text(), includesSubentities: dice.flag(), predicate: dice.fetch().predicate,
                    assignments: dice.list {
                        AssignmentMessage(
                            property: $0.text(),
                            expression: .function(
                                "add:to:", [.keyPath($0.keyPath()), .constant(.integer($0.key()))]))
                    })
            },
            deletes: list { dice in
                BatchDeleteMessage(
                    entity: dice.text(), includesSubentities: dice.flag(), predicate: dice.fetch().predicate,
                    primaryKeys: dice.list { $0.key() })
            }, result: BatchMessage.Result.allCases[below(3)])
    }

    mutating func reference() -> ObjectReferenceMessage {
        ObjectReferenceMessage(entity: below(50), primaryKey: key(), temporaryID: maybe { $0.uuid() })
    }

    mutating func saveReplies() -> [SaveReplyMessage] {
        let reasons = ValidationReason.allCases
        return [
            .saved(
                SavedMessage(
                    number: number(), firstKeys: list { $0.key() }, refreshed: list { $0.batch() },
                    alsoDeleted: list { $0.deletes() },
                    merged: Dictionary(list { ($0.below(90), $0.key()) }) { $1 },
                    derived: list { $0.batch() },
                    batch: BatchResultMessage(count: number(), changes: list { $0.changes() }),
                    touched: list { $0.changes() })),
            .conflicts(
                list {
                    ConflictMessage(
                        entity: $0.below(9), primaryKey: $0.key(), snapshotVersion: $0.number32(),
                        storedVersion: $0.number32(), stored: $0.maybe { $0.batch(rows: 1) })
                }),
            .invalid(
                list {
                    ValidationFailureMessage(
                        object: $0.reference(), property: $0.text(), reason: reasons[$0.below(reasons.count)],
                        text: $0.text())
                }),
            .constraints(
                list {
                    ConstraintConflictMessage(
                        object: $0.reference(), constraint: $0.keyPath(),
                        existing: $0.maybe { $0.reference() }, stored: $0.maybe { $0.batch(rows: 1) })
                }),
        ]
    }

    mutating func changes() -> ChangeGroup {
        let count = below(5)
        return ChangeGroup(
            kind: ChangeKind.allCases[below(3)], entity: below(50), primaryKeys: rows(count) { $0.key() },
            versions: flag() ? [] : rows(count) { $0.number32() }, properties: list { $0.below(900) },
            columns: columns(count))
    }

    mutating func transaction() -> TransactionMessage {
        TransactionMessage(
            number: number(), timestamp: double(), author: text(), contextName: text(), process: text(),
            application: text(), origin: TransactionOrigin.allCases[below(4)], changes: list { $0.changes() },
            successors: list { $0.successors() })
    }

    mutating func successors() -> SuccessorGroup {
        let count = below(4)
        return SuccessorGroup(
            entity: below(50), primaryKeys: rows(count) { $0.key() }, successors: rows(count) { $0.key() })
    }

    mutating func push() -> PushMessage {
        PushMessage(
            kind: PushMessage.Kind.allCases[below(11)], store: number32(), number: number(),
            previous: number(), transaction: maybe { $0.transaction() }, isRemoved: flag(),
            isUnchanged: flag())
    }

    mutating func storeName() -> StoreNameMessage {
        StoreNameMessage(application: text(), configuration: "Cloud", name: text())
    }

    /// A store that several machines share.
    mutating func ubiquitousStore() -> UbiquitousStoreMessage {
        var store = UbiquitousStoreMessage(name: storeName(), contentName: text(), condition: "there")
        (store.peer, store.lastFold, store.unwrittenFolds) = (number(), number(), number())
        (store.objectCount, store.waitingCount) = (number(), number())
        store.digest = bytes(16)
        store.peers = list {
            UbiquityPeerMessage(
                peer: $0.number(), folds: $0.number(), seen: $0.number(), seenNumber: $0.number())
        }
        store.quarantined = [text(), text()]
        store.differing = [number()]
        store.missingValues = number()
        (store.saved, store.folded, store.exported) = (number(), number(), number())
        (store.sentBytes, store.receivedBytes) = (number(), number())
        store.missing = [text()]
        store.failure = text()
        (store.state, store.path, store.brokenLinks) = (text(), text(), number())
        store.firstContent = .importing(read: number(), total: number())
        return store
    }

    /// What merging overruled.
    mutating func conflict() -> SyncConflictMessage {
        var conflict = SyncConflictMessage(
            number: number(), noted: Int64(number32()), kind: "value", entity: text(), primaryKey: number(),
            property: text())
        conflict.values = list {
            .init(
                property: $0.text(), lost: .string($0.text()),
                kept: $0.maybe { .integer(Int64($0.number32())) })
        }
        conflict.lost = .init(peer: number(), time: Int64(number32()))
        conflict.kept = .init(peer: number(), time: Int64(number32()))
        (conflict.isOwn, conflict.isUndone) = (flag(), flag())
        return conflict
    }

    mutating func account(signedIn: Double?) -> AccountMessage {
        AccountMessage(
            number: number32(), root: bytes(16), name: text(), path: text(), signedIn: signedIn)
    }

    mutating func opened() -> StoreOpenedMessage {
        StoreOpenedMessage(
            store: number32(), uuid: uuid(), number: number(), floor: number(), path: text(),
            modelID: bytes(32), isCreated: flag(), model: maybe { _ in SampleModel.library })
    }

    mutating func texts() -> [String: String] {
        Dictionary(list { ($0.text(), $0.text()) }, uniquingKeysWith: { $1 })
    }
}

/// A model with something of everything, its parts in canonical order.
enum SampleModel {
    static let library = make()

    static var definitions: [EntityDefinition] {
        [
            EntityDefinition(
                "Book", superentity: "Item", className: "Book",
                attributes: [
                    AttributeDefinition(
                        "isbn", .string, isOptional: true, isIndexed: true,
                        validation: AttributeValidation(minimum: 10, maximum: 13, regularExpression: "[0-9]*")
                    ),
                    AttributeDefinition("price", .decimal, defaultValue: .decimal(Decimal(12.5))),
                ],
                relationships: [
                    RelationshipDefinition("shelf", to: "Shelf", inverse: "books", deleteRule: .deny)
                ],
                fetchedProperties: [
                    FetchedPropertyDefinition(
                        "similar",
                        request: FetchRequestTemplate(
                            "r", entityName: "Book", predicate: "isbn == $FETCH_SOURCE.isbn", limit: 3,
                            sortDescriptors: [QuerySort("shelf.room"), QuerySort("isbn")]),
                        userInfo: ["k": "v"])
                ],
                indexes: [
                    FetchIndexDefinition("byISBN", elements: [.init("isbn", isAscending: false)]),
                    FetchIndexDefinition(
                        "some", elements: [.init("isbn"), .init(expression: "entity")],
                        kind: .rTree, partialPredicate: "isbn != nil"),
                ],
                uniquenessConstraints: [["isbn"]], renamingIdentifier: "Volume",
                userInfo: ["b": "2", "a": "1"]),
            EntityDefinition(
                "Item", isAbstract: true,
                attributes: [AttributeDefinition("weight", .double, defaultValue: .double(1.5))]),
            EntityDefinition(
                "Shelf",
                attributes: [
                    AttributeDefinition("room", .transformable, isOptional: true, transformerName: "Room")
                ],
                relationships: [
                    RelationshipDefinition(
                        "books", to: "Book", inverse: "shelf", isToMany: true, isOrdered: true,
                        minimumCount: 1, maximumCount: 90, deleteRule: .cascade, versionHashModifier: "2")
                ]),
        ]
    }

    private static func make() -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(
                entities: definitions, configurations: ["Cloud": ["Book", "Item"], "Local": ["Shelf"]],
                versionIdentifiers: ["7"],
                fetchRequestTemplates: [
                    FetchRequestTemplate(
                        "all", entityName: "Item", includesSubentities: false, includesPendingChanges: false,
                        returnsDistinctResults: true,
                        sortDescriptors: [QuerySort("weight", ascending: false, comparison: .localized)])
                ])
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
