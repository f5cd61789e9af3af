import CofferModel
import CofferWire
import FoundationEssentials

/// A request for one store, and the objects that it is made of.
///
/// A class, as what is handed on and never changed.
final class PreparedSave {
    let store: Int16
    let request: SaveRequestMessage
    /// The objects of each insert group, in the order of its rows.
    let inserted: [[ManagedObject]]
    /// The objects of all update groups.
    let updated: [ManagedObject]
    /// Objects of which only the entering and leaving members of relationships are sent.
    let related: [ManagedObject]
    let deleted: [ManagedObject]
    /// What is sent of what the program has set of the store's metadata.
    let metadata: PendingMetadata.Batch?

    init(
        store: Int16, request: SaveRequestMessage, inserted: [[ManagedObject]], updated: [ManagedObject],
        related: [ManagedObject], deleted: [ManagedObject], metadata: PendingMetadata.Batch?
    ) {
        self.store = store
        self.request = request
        self.inserted = inserted
        self.updated = updated
        self.related = related
        self.deleted = deleted
        self.metadata = metadata
    }
}

/// Makes the request that saves a context's changes in one store.
struct SavePreparation {
    let context: ManagedObjectContext
    let store: Int16
    /// The store in which each object that is not saved will be.
    let storesOfInserted: [ObjectReference: Int16]
    /// What wins if a uniqueness constraint is broken; `nil`: as the context's merge policy says.
    let constraintPolicy: MergePolicyMessage?

    /// The request; `nil` if the store has nothing to do.
    func save() throws(CofferError) -> PreparedSave? {
        let inserted = insertGroups()
        let places = places(of: inserted)
        let changed = stored(context.updated)
        let deleted = stored(context.deleted)
        let inserts = try inserted.map { group throws(CofferError) in try insertGroup(group, places) }
        let groups = updateGroups(changed)
        let updates = try groups.map { group throws(CofferError) in try updateGroup(group, places) }
        let deletes = deleteGroups(deleted)
        let owners = inserted.isEmpty ? changed : inserted.flatMap(\.self) + changed
        let setChanges = try setChanges(owners, places)
        let orderChanges = try orderChanges(owners, places)
        let handle = context.registry.stores[Int(store)].handle
        let metadata = context.coordinator.pendingMetadata.batch(for: handle)
        if inserts.isEmpty, updates.isEmpty, deletes.isEmpty, setChanges.isEmpty, orderChanges.isEmpty,
            metadata == nil
        {
            return nil
        }
        let sent = groups.count == 1 ? groups[0].objects : groups.flatMap(\.objects)
        return PreparedSave(
            store: store,
            request: SaveRequestMessage(
                store: handle,
                request: RequestIDMessage(client: UUID.valueForNull, sequence: 0, acknowledged: 0),
                author: context.transactionAuthor, contextName: context.name,
                mergePolicy: context.mergePolicy.message, inserts: inserts, updates: updates,
                deletes: deletes, setChanges: setChanges, orderChanges: orderChanges,
                constraintPolicy: constraintPolicy, isBackground: context.savesInBackground,
                metadata: metadata?.changes ?? []),
            inserted: inserted, updated: sent,
            // Those that are sent are among the changed, each once.
            related: sent.count == changed.count ? [] : Array(Set(changed).subtracting(sent)),
            deleted: deleted, metadata: metadata)
    }
}

extension SavePreparation {
    /// The objects of this save's store, by their keys.
    private func stored(_ objects: Set<ManagedObject>) -> [ManagedObject] {
        var stored: [ManagedObject] = []
        for object in objects where object.reference.store == store { stored.append(object) }
        if stored.count > 1 { stored.sort { $0.reference.key < $1.reference.key } }
        return stored
    }

    /// The store's new objects, those of one leaf entity together, in the order of their insertion.
    private func insertGroups() -> [[ManagedObject]] {
        if context.inserted.isEmpty { return [] }
        let objects = context.inserted.filter { storesOfInserted[$0.reference] == store }
        let groups = Dictionary(grouping: objects, by: \.reference.leaf)
        let all = groups.keys.sorted().compactMap { groups[$0]?.sorted(by: context.isInsertedBefore) }
        return context.reserved.isEmpty ? all : all.flatMap(Self.runs)
    }

    /// New objects of one entity in groups of which each has keys without gap, or none.
    private static func runs(_ objects: [ManagedObject]) -> [[ManagedObject]] {
        var runs: [[ManagedObject]] = []
        for object in objects {
            let (last, next) = (runs.last?.last?.reference, object.reference)
            let goesOn = last.map {
                $0.isUnsaved == next.isUnsaved && (next.isUnsaved || $0.key + 1 == next.key)
            }
            if goesOn ?? false { runs[runs.count - 1].append(object) } else { runs.append([object]) }
        }
        return runs
    }

    /// For the key that each new object was inserted with its place in the request.
    private func places(of groups: [[ManagedObject]]) -> [Int64: Int] {
        var places: [Int64: Int] = [:]
        for object in groups.joined() { places[context.insertionKey(of: object)] = places.count }
        return places
    }

    private func insertGroup(_ objects: [ManagedObject], _ places: [Int64: Int]) throws(CofferError)
        -> InsertGroup
    {
        var columns: [Column] = []
        let layout = objects[0].layout
        let upserts = layout.isUnique && (constraintPolicy ?? context.mergePolicy.message) == .objectTrump
        for slot in layout.sentSlots {
            var isNull = true
            let column = try column(slot, of: layout, objects: objects, places: places) { object in
                let content = object.edits?.changed[slot]
                if content.map({ upserts || $0 != .null }) ?? false { isNull = false }
                return content ?? .null
            }
            if !isNull { columns.append(column) }
        }
        var group = InsertGroup(
            entity: layout.entity.index,
            temporaryIDs: objects.map { context.tree.id(of: context.insertionKey(of: $0)) }, columns: columns,
            firstKey: objects[0].reference.isUnsaved ? 0 : objects[0].reference.key)
        if upserts { noteAssigned(objects, in: &group) }
        return group
    }

    /// Notes which values of new objects were set: an upsert writes those over the stored ones, null and
    /// defaults too.
    private func noteAssigned(_ objects: [ManagedObject], in group: inout InsertGroup) {
        for (place, column) in group.columns.enumerated() {
            for (row, object) in objects.enumerated() {
                guard let edits = object.edits, edits.changed.contains(column.property),
                    !edits.untouched.contains(column.property)
                else { continue }
                group.noteAssigned(place, row: row)
            }
        }
    }

    /// Objects of one leaf entity in which the same properties changed.
    private struct Alike {
        struct Kind: Hashable {
            var leaf: UInt16
            var slots: [Int]
            /// What of their snapshots `overwrite` cannot send, since it was never read.
            var unread: [Int]
        }

        var kind: Kind
        var objects: [ManagedObject]
        var slots: [Int] { kind.slots }
        var unread: [Int] { kind.unread }
    }

    private func updateGroups(_ objects: [ManagedObject]) -> [Alike] {
        let sendsAll = context.mergePolicy == .overwrite
        var groups: [Alike.Kind: Int] = [:]
        var result: [Alike] = []
        for object in objects {
            guard let edits = object.edits, !edits.changed.isEmpty else { continue }
            var stored = edits.changed.slots
            stored.removeAll { !object.isSent($0) }
            if stored.isEmpty { continue }
            if stored.count > 1 { stored.sort() }
            let unread = sendsAll ? object.layout.externalSlots.filter { !object.knows($0) } : []
            let kind = Alike.Kind(leaf: object.reference.leaf, slots: stored, unread: unread)
            // Mostly one object changed, or all in the same way: then nothing need be hashed.
            if let last = result.indices.last, result[last].kind == kind {
                result[last].objects.append(object)
                continue
            }
            if result.count == 1 { groups[result[0].kind] = 0 }
            if let place = groups[kind] {
                result[place].objects.append(object)
            } else {
                if !result.isEmpty { groups[kind] = result.count }
                result.append(Alike(kind: kind, objects: [object]))
            }
        }
        return result
    }

    private func updateGroup(_ group: Alike, _ places: [Int64: Int]) throws(CofferError) -> UpdateGroup {
        let layout = group.objects[0].layout
        var message = UpdateGroup(
            entity: layout.entity.index, primaryKeys: group.objects.map(\.reference.key),
            versions: group.objects.map(\.version),
            columns: try group.slots.map { slot throws(CofferError) in
                try column(slot, of: layout, objects: group.objects, places: places) {
                    $0.edits?.changed[slot] ?? .null
                }
            })
        if context.mergePolicy == .mergeByPropertyStoreTrump {
            for slot in group.slots {
                message.oldColumns.append(
                    try column(slot, of: layout, objects: group.objects, places: places) {
                        $0.knownContent(slot) ?? .null
                    })
            }
        }
        if context.mergePolicy == .overwrite {
            for slot in layout.sentSlots where !group.slots.contains(slot) && !group.unread.contains(slot) {
                message.otherColumns.append(
                    try column(slot, of: layout, objects: group.objects, places: places) {
                        $0.storedContent(slot) ?? .null
                    })
            }
        }
        return message
    }

    private func deleteGroups(_ objects: [ManagedObject]) -> [DeleteGroup] {
        if objects.isEmpty { return [] }
        let groups = Dictionary(grouping: objects, by: \.reference.leaf)
        return groups.keys.sorted().map { leaf in
            let objects = groups[leaf] ?? []
            var group = DeleteGroup(
                entity: Int(leaf), primaryKeys: objects.map(\.reference.key), versions: objects.map(\.version)
            )
            for (row, object) in objects.enumerated() {
                for slot in object.detachedSlots {
                    group.detachedRows.append(UInt32(row))
                    group.detachedProperties.append(UInt32(slot))
                }
            }
            return group
        }
    }
}

extension ManagedObject {
    /// Whether a save sends property `slot`: not what is transient or derived.
    final fileprivate func isSent(_ slot: Int) -> Bool {
        !entity.properties[slot].isTransient
            && (layout.derivedSlots.isEmpty || !layout.derivedSlots.contains(slot))
    }
}

extension SavePreparation {
    /// One property of objects of one leaf entity.
    private func column(
        _ slot: Int, of layout: EntityLayout, objects: [ManagedObject], places: [Int64: Int],
        _ content: (ManagedObject) -> PropertyContent
    ) throws(CofferError) -> Column {
        var builder =
            if let type = layout.attributeTypes[slot] {
                ColumnBuilder(property: slot, type: type, capacity: objects.count)
            } else {
                ColumnBuilder(referencesOf: slot, capacity: objects.count)
            }
        // The store refuses a whole request for a number outside the range, and does not say of which object.
        let range = layout.attributeTypes[slot].flatMap { $0 == .integer64 ? nil : $0.integerRange }
        let isLoose = layout.relationships[slot].map { $0.inverseSlot == nil } ?? false
        for object in objects {
            switch content(object) {
            case .reference(let target) where isLoose && (context.registry.object(target)?.isLost ?? false):
                builder.appendNull()  // What has no end to follow the deletion by names nothing, too.
            case .reference(let target):
                if let key = try key(of: target, from: object, slot, places) {
                    builder.append(reference: key, entity: UInt32(target.leaf))
                } else {
                    builder.appendNull()
                }
            case .value(let value):
                if let range, case .integer(let number) = value, !range.contains(number) {
                    throw .validation(context.allFailures())
                }
                do throws(WireError) {
                    try builder.append(value)
                } catch {
                    throw .wrongType(
                        entity: layout.entity.name, property: layout.entity.properties[slot].name,
                        expected: "\(error)")
                }
            }
        }
        return (consume builder).finish()
    }

    /// How the request names an object that another refers to; `nil` if that is not to be saved at all.
    func key(
        of target: ObjectReference, from object: ManagedObject, _ slot: Int, _ places: [Int64: Int]
    ) throws(CofferError) -> Int64? {
        let newKey = target.isUnsaved ? target.key : context.reserved.key(of: target)
        let targetStore = newKey == nil ? target.store : storesOfInserted[target]
        guard let targetStore else { return nil }
        guard targetStore == store else {
            throw .crossStoreRelationship(
                from: object.objectID, to: context.object(target).objectID,
                relationship: object.entity.properties[slot].name)
        }
        return newKey.map { key in places[key].map { -Int64(1 + $0) } } ?? target.key
    }

    /// The objects that enter and leave the relationships that this side sends.
    private func setChanges(_ objects: [ManagedObject], _ places: [Int64: Int]) throws(CofferError)
        -> [SetChange]
    {
        var changes: [SetChange] = []
        var groups: [[Int]: Int] = [:]
        let owners = objects.filter { !$0.isLost } + stored(context.deleted)
        for object in owners {
            guard let toMany = object.edits?.toMany, !toMany.isEmpty else { continue }
            for (slot, content) in toMany.sorted(by: { $0.key < $1.key }) where content.isChanged {
                guard let relationship = object.layout.relationships[slot], relationship.sendsMembers else {
                    continue
                }
                let key = [object.entity.index, slot]
                if groups[key] == nil {
                    groups[key] = changes.count
                    changes.append(
                        SetChange(entity: object.entity.index, property: slot, owners: [], targets: []))
                }
                guard let place = groups[key] else { continue }
                try append(
                    of: object, slot,
                    members: object.toldLeavers(content, of: relationship).sorted { $0.key < $1.key },
                    areRemoved: true, to: &changes[place], places: places)
                if object.isLost { continue }
                let added = content.added.filter { !(context.registry.object($0)?.isLost ?? false) }
                try append(
                    of: object, slot, members: added, areRemoved: false, to: &changes[place], places: places)
            }
        }
        return changes.filter { !$0.owners.isEmpty }
    }

    private func append(
        of object: ManagedObject, _ slot: Int, members: [ObjectReference], areRemoved: Bool,
        to change: inout SetChange,
        places: [Int64: Int]
    ) throws(CofferError) {
        for member in members {
            guard let owner = try key(of: object.reference, from: object, slot, places),
                let target = try key(of: member, from: object, slot, places)
            else { continue }
            let place = change.owners.count
            change.owners.append(owner)
            change.targets.append(target)
            if areRemoved {
                while change.removed.count <= place / 8 { change.removed.append(0) }
                change.removed[place / 8] |= 1 << UInt8(place % 8)
            }
        }
        // As soon as anybody leaves there is a bit for each change, those of entering objects included.
        if change.removed.isEmpty { return }
        let missing = (change.owners.count + 7) / 8 - change.removed.count
        change.removed.append(contentsOf: repeatElement(0, count: missing))
    }
}
