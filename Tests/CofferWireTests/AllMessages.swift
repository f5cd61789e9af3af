import CofferModel
import CofferWire
import TestSupport

/// One random message of every kind that travels by itself.
extension Dice {
    mutating func messages() -> [any WireMessage] {
        storeMessages() + rowMessages() + saveReplies().map { $0 as any WireMessage }
    }

    private mutating func storeMessages() -> [any WireMessage] {
        [
            HelloRequestMessage(application: text(), client: uuid(), processName: text()),
            HelloReplyMessage(
                serviceVersion: text(), application: text(), service: uuid(), frameLimit: number32(),
                sharesMemory: flag()),
            RegisterModelRequestMessage(model: SampleModel.library),
            RegisterModelReplyMessage(modelID: bytes(32)),
            OpenStoreRequestMessage(
                name: storeName(), modelID: bytes(32), mustExist: flag(), isReadOnly: flag(),
                pragmaList: texts().sorted { $0.key < $1.key }.map { .init(key: $0.key, value: $0.value) },
                watch: flag(), migrates: flag(), route: route(),
                ubiquitousContentName: text(), localContent: .merge, migration: flag() ? uuid() : nil,
                former: flag() ? uuid() : nil),
            OpenStoreReplyMessage.opened(opened()),
            OpenStoreReplyMessage.needModel,
            OpenStoreReplyMessage.incompatible(
                IncompatibleModelMessage(
                    differing: keyPath(), missing: keyPath(), unknown: keyPath(), firstOf: keyPath())),
            CloseStoreRequestMessage(store: number32()),
            ListStoresRequestMessage(allApplications: flag()),
            ListStoresReplyMessage(
                stores: list {
                    StoreDescriptionMessage(
                        name: $0.storeName(), path: $0.text(), byteCount: $0.number(), isOpen: $0.flag())
                }),
            RemoveStoreRequestMessage(
                name: storeName(), isEvenIfOpen: flag(), waitMilliseconds: number32()),
            ReplaceStoreRequestMessage(
                name: storeName(), waitMilliseconds: number32(), sharedReplacement: flag() ? .catchUp : nil),
            ReplaceStoreReplyMessage(uuid: uuid(), number: number()),
            BackupStoreRequestMessage(
                store: number32(), fileName: text(), place: text(), replaces: flag(), isOneFile: flag()),
            BackupStoreReplyMessage(
                copiedByteCount: number(), totalByteCount: number(), uuid: uuid(), number: number(),
                byteCount: number()),
            CopyStoreRequestMessage(
                store: number32(), fileName: text(), place: text(), type: .binary, isPlain: flag(),
                configuration: text()),
            CopyStoreReplyMessage(copiedCount: number(), totalCount: number()),
            MoveStoreRequestMessage(name: storeName(), type: .xml, waitMilliseconds: number32()),
            CopyStoreReplyMessage(
                copiedCount: number(), totalCount: number(),
                made: CopiedStoreMessage(
                    formerUUID: uuid(), uuid: uuid(), number: number(),
                    offsets: [KeyOffsetMessage(root: text(), offset: number())], leftOut: [text()],
                    missingCount: number(), missingValues: [text()])),
            VacuumStoreRequestMessage(store: number32()),
            VacuumStoreReplyMessage(
                doneByteCount: number(), totalByteCount: number(), formerByteCount: number(),
                byteCount: number()),
            MigrateStoreRequestMessage(
                name: storeName(), modelID: bytes(32), isDryRun: flag(), keepsBackup: flag(), adopts: flag(),
                waitMilliseconds: number32(), route: route(),
                work: .init(id: uuid(), policies: keyPath(), answerMilliseconds: number32())),
            MigrateObjectsRequestMessage(work: uuid(), migration: uuid(), source: SampleModel.library),
            MigrateObjectsRequestMessage(work: uuid(), migration: uuid(), source: nil),
            MigrateObjectsReplyMessage(isDone: flag()),
            MigrateStoreReplyMessage(step: .rows, needsModel: flag()),
            MigrateStoreReplyMessage(plan: plan(), number: number(), backup: text()),
            MigrateStoreReplyMessage(
                origin: text(),
                stages: [
                    .init(name: text(), plan: plan(), number: number(), backup: text()),
                    .init(name: text(), plan: MigrationPlan()),
                ], later: keyPath()),
            SignInRequestMessage(name: text(), path: text()),
            AccountReplyMessage(account: account(signedIn: 700.5), unexported: number()),
            ListFormerReplyMessage(contents: list { $0.former() }),
            RestoreFormerRequestMessage(name: storeName(), number: number()),
            ListDebtsReplyMessage(debts: list { $0.debt() }),
            ListAccountsReplyMessage(accounts: list { $0.account(signedIn: nil) }),
            IdentityTokenReplyMessage(token: bytes(32)),
            UbiquityStatusReplyMessage(stores: list { $0.ubiquitousStore() }),
            SyncStatusRequestMessage(store: number32(), watches: flag()),
            SyncStatusReplyMessage(store: maybe { $0.ubiquitousStore() }),
            ListConflictsRequestMessage(store: number32(), after: number(), limit: number32()),
            ListConflictsReplyMessage(conflicts: list { $0.conflict() }, hasMore: flag()),
            ListViolationsRequestMessage(store: number32()),
            ListViolationsReplyMessage(
                count: number(),
                violations: list {
                    SyncViolationMessage(
                        entity: $0.text(), primaryKey: $0.number(), properties: $0.keyPath(),
                        reason: $0.text(), text: $0.text())
                }),
            UndoConflictRequestMessage(store: number32(), number: number()),
            UndoConflictReplyMessage(number: number()),
            RemoveUbiquitousContentRequestMessage(name: storeName(), waitMilliseconds: number32()),
            RemoveUbiquitousContentReplyMessage(removedCount: number()),
            SeedStoreRequestMessage(store: number32(), fileName: text(), place: text()),
            SeedStoreReplyMessage(seededCount: number(), totalCount: number(), isRepeated: flag()),
            StoresWillChangeRequestMessage(
                store: number32(), isRemoved: flag(),
                transition: StoreTransitionMessage(kind: .accountRemoved, question: number())),
            MetadataRequestMessage(
                store: number32(),
                changes: texts().mapValues { text in
                    text.isEmpty ? nil : MetadataValueMessage(text: text, propertyList: bytes(below(3)))
                }),
            MetadataReplyMessage(
                uuid: uuid(), type: text(),
                entries: texts().mapValues { MetadataValueMessage(text: $0, propertyList: bytes(2)) },
                versionHashes: ["Book": bytes(32), "Item": bytes(32)]),
            WatchRequestMessage(store: number32(), isStop: flag()),
            WatchReplyMessage(number: number()),
            EmptyMessage(),
            ErrorDetailMessage(
                code: StatusCode.allCases[below(17)], reason: text(), text: text(), place: text()),
            ModelMessage(SampleModel.library),
        ]
    }

    private mutating func former() -> FormerContentMessage {
        FormerContentMessage(
            name: storeName(), number: number(), account: flag() ? 3 : nil, since: 700.5, until: 701.5,
            byteCount: number())
    }

    private mutating func debt() -> DebtMessage {
        DebtMessage(name: storeName(), account: number32(), unexported: number())
    }

    /// A route with everything that one can have.
    private mutating func route() -> MigrationRouteMessage {
        var entity = MappingModel.Entity(text(), kind: .transform, source: "Note", destination: "Text")
        (entity.sourceHash, entity.destinationHash) = (bytes(32), bytes(32))
        (entity.predicate, entity.policyClassName) = ("title != nil", "Policy")
        entity.userInfo = texts()
        entity.attributes = [
            .init(text(), .automatic), .init(text(), .none), .init(text(), .expression(text())),
        ]
        entity.relationships = [
            .init(text(), .mapped(by: "NoteToText", objects: text())),
            .init(text(), .mapped(by: nil, objects: text())),
            .init(text(), .mappedRelationship(text(), objects: text())),
        ]
        let kinds: [MappingModel.Kind] = [.undefined, .custom, .add, .remove, .copy]
        let mapping = MappingModel(
            entities: [entity] + kinds.map { .init(text(), kind: $0, source: nil, destination: nil) })
        return MigrationRouteMessage(
            mapping: mapping,
            stages: [
                .init(name: text(), model: SampleModel.library, mapping: mapping),
                .init(name: text(), model: nil, mapping: nil),
            ])
    }

    /// A plan with everything that one can have.
    private mutating func plan() -> MigrationPlan {
        let examples: [MigrationObstacle.Example] = [
            .init(entity: text(), key: key(), value: text()), .init(entity: "", key: 0, value: nil),
        ]
        var property = MigrationPlan.Property(name: text(), change: .converted, detail: text())
        property.changedCount = below(1_000)
        property.defaultedCount = below(1_000)
        property.droppedCount = below(1_000)
        property.examples = examples
        var plan = MigrationPlan()
        plan.isIdle = flag()
        plan.isReturn = flag()
        plan.entities = [
            .init(
                name: text(), formerName: "former", change: .kept, objectCount: below(9),
                properties: [property]),
            .init(name: text(), change: .added, objectCount: 0),
            .init(name: text(), change: .removed, objectCount: below(9)),
        ]
        plan.copiedTables = keyPath()
        plan.byteCount = below(1 << 40)
        plan.seconds = Double(below(1_000)) / 8
        plan.obstacles = [
            .notInferable(text: text()),
            .unconvertible(
                entity: text(), attribute: text(), from: text(), to: text(), count: below(9),
                examples: examples),
            .missing(entity: text(), property: text(), count: below(9), examples: examples),
            .duplicates(
                entity: text(), constraint: keyPath(), count: below(9),
                groups: [.init(values: keyPath(), count: below(9), keys: [key(), key()])]),
            .abstract(entity: text(), count: below(9)),
            .unstorable(entity: text(), relationship: text(), count: below(9)),
            .stray(table: text(), count: below(9)), .foreign(item: text()),
        ]
        return plan
    }

    private mutating func rowMessages() -> [any WireMessage] {
        let ends = rows(5) { $0.below(4) }.sorted()
        let keys = rows(ends[4]) { $0.key() }
        return [
            batch(),
            FetchRequestMessage(
                store: number32(), fetch: fetch(), withoutHolding: flag(), label: text(),
                withoutValues: flag(), generation: number()),
            ExplainReplyMessage(sql: text(), plan: list { $0.text() }),
            FetchReplyMessage(number: number(), count: number(), rows: maybe { $0.batch().rows }),
            rowsRequest(),
            RowsReplyMessage(number: number(), batches: list { $0.batch().rows }),
            relationshipRequest(),
            RelationshipReplyMessage(
                number: number(), ends: ends.map { UInt32($0) }, primaryKeys: keys,
                entities: keys.map { _ in 3 }, batches: list { $0.batch().rows }),
            release(),
            PinRequestMessage(store: number32()), PinReplyMessage(generation: number(), number: number()),
            save(),
            reservation(),
            ReserveKeysReplyMessage(firstKeys: list { $0.key() }),
            historyRequest(),
            HistoryReplyMessage.transactions(
                list { $0.transaction() }, number: number(), hasMore: flag()),
            HistoryReplyMessage.expired(floor: number(), current: number(), isOtherStore: flag()),
            ConsumerRequestMessage(
                store: number32(), name: text(), acknowledged: number(), isRemoved: flag(),
                allApplications: flag(), application: text()),
            ConsumerReplyMessage(
                floor: number(),
                consumers: list {
                    HistoryConsumerMessage(
                        application: $0.text(), name: $0.text(), acknowledged: $0.number(), lease: $0.double()
                    )
                }),
            PurgeHistoryRequestMessage(
                store: number32(), before: number(), beforeTime: maybe { $0.double() + 0.5 }),
            PurgeHistoryReplyMessage(floor: number()),
            push(),
        ]
    }
}
