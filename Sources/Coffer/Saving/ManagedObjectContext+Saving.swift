import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Writes all changes, and returns once they are durable.
    ///
    /// One request and one transaction for each store, in the order in which the stores were added: not
    /// atomic across files. If a later store refuses, what earlier ones took is saved, and the context keeps
    /// the rest as changes. If the only store refuses, nothing is written, and the context keeps all its
    /// changes.
    ///
    /// What ``PersistentContainer/setMetadata(_:ofStore:)`` has set of a store goes with the request for it,
    /// in the same transaction.
    ///
    /// What is saved is what there was when the first request was made, after all `willSave`. What a hook
    /// changes while the save is under way, such as `didTurnIntoFault` of an object that it deletes, stays a
    /// change for the next save.
    ///
    /// ```swift
    /// do throws(CofferError) {
    ///     try context.save()
    /// } catch .conflicts(let conflicts) {
    ///     for conflict in conflicts { print(conflict.objectID, conflict.properties) }
    ///     context.rollback()
    /// } catch {
    ///     print(error)  // A sentence that says what is wrong, without anybody's values.
    /// }
    /// ```
    ///
    /// - Throws: `CofferError.conflicts`, `.validation`, `.constraints`, `.endlessSave`,
    ///   `.crossStoreRelationship`, or why the store cannot be reached; `.refused` with the reason
    ///   `save_under_way` in such a hook, since all that is not settled yet would be sent twice; with the
    ///   reason `store_exchanged` if changes are lost, since the file that they were for was exchanged or
    ///   removed.
    public func save() throws(CofferError) {
        if registry.saveInProgress != nil { throw Self.saveInProgress }
        registry.changeLog?.isHeld = true
        defer {
            registry.changeLog?.isHeld = false
            tellWatchers()
        }
        let losses = lossCount
        mergeUnasked()
        try prepareToSave()
        processPendingChanges()
        var constraintPolicy: MergePolicy?
        for round in 0..<Limits.resolutionRounds {
            do throws(CofferError) {
                return try sendChanges(constraintPolicy, losses)
            } catch {
                // What a store that moved to another file has not saved yet goes there.
                if error.isOfExchange, round + 1 < Limits.resolutionRounds, takeMoves(),
                    lossCount == losses
                {
                    continue
                }
                constraintPolicy = try resolve(error, round: round)
            }
        }
    }

    /// Sends all changes, unless some were given up since there were so many `losses`.
    private func sendChanges(_ constraintPolicy: MergePolicy?, _ losses: Int) throws(CofferError) {
        guard lossCount == losses else { throw Self.storesExchanged }
        let hasMetadata = link == nil && !coordinator.pendingMetadata.isEmpty
        guard hasChanges || hasMetadata else { return }
        if hasMetadata { refreshStores() }
        try validate()
        try readDoubtedEnds()
        try readMissingVersions()
        try resolveKnownConflicts()
        registry.saveInProgress = SaveInProgress()
        defer { endSave() }
        if let link { return try save(to: link) }
        let stores = try placeInserted()
        var prepared: [PreparedSave] = []
        for store in registry.stores.indices {
            let prepare = SavePreparation(
                context: self, store: Int16(store), storesOfInserted: stores,
                constraintPolicy: constraintPolicy?.message)
            if let save = try prepare.save() { prepared.append(save) }
        }
        try send(prepared)
    }

    private static var saveInProgress: CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "save_under_way",
            text: "The context is in the middle of a save: what was changed since stays for the next one.",
            place: "")
    }

    /// The reason why changes to objects of a file that no longer exists are not saved.
    static var storesExchanged: CofferError {
        .refused(
            code: StatusCode.aborted.name, reason: ErrorDetailMessage.storeExchanged,
            text: "The file of a store was exchanged or removed: what was not saved is lost; fetch again.",
            place: "")
    }

    /// Ends the save under way, if there still is one; code that is told of it may then save again.
    func endSave() {
        let unborn = registry.saveInProgress?.unborn ?? []
        registry.saveInProgress = nil
        for object in unborn { markGone(object) }
    }

    /// Lets all that will be saved make last changes; each object once.
    ///
    /// - Throws: `CofferError.endlessSave` if there are always further objects that were changed.
    private func prepareToSave() throws(CofferError) {
        var told: Set<ManagedObject> = []
        for _ in 0..<Limits.willSaveRounds {
            var waiting: [ManagedObject] = []
            for object in inserted where !told.contains(object) { waiting.append(object) }
            for object in updated where !told.contains(object) { waiting.append(object) }
            for object in deleted where !told.contains(object) { waiting.append(object) }
            if waiting.isEmpty { return }
            for object in waiting { object.willSave() }
            told.formUnion(waiting)
        }
        throw .endlessSave(rounds: Limits.willSaveRounds)
    }

    /// Reads the rows of changed objects whose versions are not known, as after a refresh, and of those under
    /// whose changes something happened that came without values: history tells so of others' saves, and of
    /// own ones that were sent again.
    ///
    /// What the merge policy will compare or send of them is read too; a large value that was never read is
    /// not among what `overwrite` sends, and stays as it is in the store.
    private func readMissingVersions() throws(CofferError) {
        let sendsOld = mergePolicy == .mergeByPropertyStoreTrump || link != nil
        let sendsAll = mergePolicy == .overwrite
        func missing(_ object: ManagedObject) -> RowExtent? {
            var compared = object.unreadAncestors
            if sendsOld { compared += object.unreadChanges }
            if compared.isEmpty, object.batch != nil, !(sendsAll && object.lacks(.withoutExternal)) {
                return nil
            }
            // A newer row makes a conflict of a large value's change, too.
            let judged = object.batch == nil ? compared : object.edits?.changed.slots ?? []
            return judged.contains { object.layout.isExternal($0) } ? .whole : .withoutExternal
        }
        var unread: [RowExtent: [ManagedObject]] = [:]
        for object in updated {
            if let extent = missing(object) { unread[extent, default: []].append(object) }
        }
        for object in deleted where !updated.contains(object) {
            if let extent = missing(object) { unread[extent, default: []].append(object) }
        }
        for (extent, objects) in unread {
            for (_, objects) in Dictionary(grouping: objects, by: \.reference.table) {
                for start in stride(from: 0, to: objects.count, by: Limits.faultBatch) {
                    try read(Array(objects[start..<min(start + Limits.faultBatch, objects.count)]), extent)
                }
            }
        }
    }

    /// Decides which store each new object goes to.
    private func placeInserted() throws(CofferError) -> [ObjectReference: Int16] {
        if inserted.isEmpty { return [:] }
        refreshStores()
        var places: [ObjectReference: Int16] = [:]
        for object in inserted {
            places[object.reference] =
                object.reference.isUnsaved
                ? try place(of: object.entity, assigned: object.edits?.assignedStore) : object.reference.store
        }
        return places
    }

    /// Sends one request, and takes in what the store made of it.
    func send(_ save: PreparedSave) throws(CofferError) -> AcceptedSave {
        sendReleases()
        statistics.saves += 1
        let began = ContextTrace.beginning
        switch try coordinator.save(save.request, origin: ObjectIdentifier(mailbox)) {
        case .saved(let saved):
            traceSave(of: saved.number, since: began, store: save.store)
            if let metadata = save.metadata {
                coordinator.pendingMetadata.didSave(metadata, of: save.request.store)
            }
            return try accept(save, saved)
        case .conflicts(let messages):
            var conflicts: [MergeConflict] = []
            for message in messages { conflicts.append(try conflict(message, store: save.store)) }
            throw .conflicts(conflicts)
        case .invalid(let failures): throw .validation(failures.map { failure($0, store: save.store) })
        case .constraints(let messages):
            throw .constraints(try constraintConflicts(messages, store: save.store))
        }
    }
}

extension ManagedObjectContext {
    func id(_ object: ObjectReferenceMessage, store: Int16) -> ManagedObjectID {
        if let uuid = object.temporaryID {
            if let name = tree.key(of: uuid).flatMap({ reserved.name(of: $0) }) { return registry.id(name) }
            return ManagedObjectID(
                entity: model.entities[object.entity], storeUUID: nil, key: .temporary(uuid))
        }
        return registry.id(
            registry.reference(store: store, entity: object.entity, key: object.primaryKey))
    }

    func failure(_ message: ValidationFailureMessage, store: Int16) -> ValidationFailure {
        let id = id(message.object, store: store)
        let object = reference(to: id).flatMap { registry.object($0) }
        let value = object?.entity.propertyIndex(named: message.property).flatMap { slot in
            object?.layout.attributeTypes[slot] == nil ? nil : object?.rawContent(slot).value
        }
        return ValidationFailure(
            objectID: id, property: message.property, reason: ValidationFailure.Reason(message.reason),
            // Foundation cannot print a date that is not a number.
            text: message.text, value: value.map { $0.isNaN ? .null : $0 } ?? .null)
    }

    private func conflict(_ message: ConflictMessage, store: Int16) throws(CofferError) -> MergeConflict {
        let object = object(registry.reference(store: store, entity: message.entity, key: message.primaryKey))
        var stored: [String: AttributeValue]?
        if let rows = message.stored, rows.rowCount > 0 { stored = try storedValues(rows, of: object) }
        return MergeConflict(
            objectID: object.objectID, snapshotVersion: message.snapshotVersion,
            storedVersion: message.storedVersion == 0 ? nil : message.storedVersion,
            snapshot: object.snapshotValues, stored: stored, wanted: object.changedValues)
    }
}

extension ManagedObject {
    /// What the context had read before anybody changed it, as far as it is known.
    final var snapshotValues: [String: AttributeValue] {
        values(
            layout.storedSlots.compactMap { slot in
                (edits?.ancestors[slot] ?? knownContent(slot)).map { (slot, $0) }
            })
    }
}

extension ValidationFailure.Reason {
    init(_ reason: ValidationReason) {
        self =
            switch reason {
            case .required: .required
            case .tooSmall: .tooSmall
            case .tooLarge: .tooLarge
            case .noMatch: .noMatch
            case .tooFew: .tooFew
            case .tooMany: .tooMany
            case .deleteDenied: .deleteDenied
            case .unknownObject: .unknownObject
            case .outOfRange: .outOfRange
            case .circle: .circle
            case .tooDeep: .tooDeep
            }
    }
}
