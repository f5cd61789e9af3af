import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Reads the members of the to-many relationship `slot` of an object, and soon of those that were read
    /// with it.
    ///
    /// The first object of some rows that were read together is asked alone. A caller that asks for the next
    /// one is probably in a loop over them, and then 8, 64 and at last 200 come in one round trip.
    func loadMembers(of object: ManagedObject, _ slot: Int) throws(CofferError) {
        if let link {
            try loadMembers(of: [object], slot, from: link)
            return
        }
        let owners = [object] + neighbours(of: object, slot)
        do throws(CofferError) {
            try loadMembers(of: owners, slot)
        } catch {
            guard error.isTooLarge, owners.count > 1 else { throw error }
            object.batch?.stopReadingAhead(slot)
            try loadMembers(of: [object], slot)
        }
    }

    private func loadMembers(of owners: [ManagedObject], _ slot: Int) throws(CofferError) {
        let request = membersRequest(owners, slot, rows: nil)
        let began = ContextTrace.beginning
        defer {
            trace("relationship", since: began, entity: owners[0].entity.name, rows: owners.count)
        }
        sendReleases()
        let members = try take(try coordinator.relationship(request), of: owners, slot, prefetched: nil)
        if members.count > Limits.membersAhead { owners[0].batch?.stopReadingAhead(slot) }
    }

    /// The objects that were read together with one, from it on, and whose members are not known, up to what
    /// is worth reading along.
    private func neighbours(of object: ManagedObject, _ slot: Int) -> [ManagedObject] {
        guard let batch = object.batch, batch.rows.rowCount > 1 else { return [] }
        let count = batch.nextOwners(slot) - 1
        guard count > 0 else { return [] }
        var found: [ManagedObject] = []
        for step in 1..<batch.rows.rowCount {
            let row = (Int(object.row) + step) % batch.rows.rowCount
            let reference = registry.reference(
                store: object.reference.store, entity: batch.rows.leafEntity(row),
                key: batch.rows.primaryKey(row))
            guard let other = registry.object(reference), other.batch === batch, !other.isLost,
                other.edits?.toMany[slot]?.members == nil
            else { continue }
            found.append(other)
            if found.count == count { break }
        }
        return found
    }

    /// What to ask for the members of objects of one store and inheritance tree, with so much of their rows,
    /// or without those.
    func membersRequest(
        _ owners: [ManagedObject], _ slot: Int, rows: RowExtent?
    ) -> RelationshipRequestMessage {
        statistics.relationshipsLoaded += 1
        let first = owners[0]
        let relationship = first.layout.relationships[slot]
        // Inherited properties have the same place in all entities of a tree.
        let isUniform = owners.allSatisfy { $0.reference.leaf == first.reference.leaf }
        let declaring = first.entity.properties[slot].relationship?.declaringEntityIndex
        return RelationshipRequestMessage(
            store: registry.stores[Int(first.reference.store)].handle,
            entity: isUniform ? Int(first.reference.leaf) : declaring ?? Int(first.reference.root),
            property: slot, primaryKeys: owners.map(\.reference.key), withRows: rows != nil,
            generation: generation(of: first.reference.store),
            withoutExternalValues: rows == .withoutExternal
                && (relationship.map { registry.keepsExternal(inTreeOf: $0.destination.rootIndex) } ?? false))
    }

    /// Takes in the members of one relationship of several objects; returns all members, each once.
    @discardableResult
    func take(
        _ reply: RelationshipReplyMessage, of owners: [ManagedObject], _ slot: Int,
        prefetched: PrefetchedRows?
    ) throws(CofferError) -> [ObjectReference] {
        guard reply.ends.count == owners.count, let ends = owners[0].layout.relationships[slot]?.ends,
            reply.entities.allSatisfy({ ends.contains(Int($0)) })
        else {
            throw .protocolViolation(
                "coffer.v1.RelationshipReply: one end for each owner, and one entity that may be there for each key are needed"
            )
        }
        let store = owners[0].reference.store
        let members = zip(reply.primaryKeys, reply.entities).map { key, entity in
            registry.reference(store: store, entity: Int(entity), key: key)
        }
        return share(members, ends: reply.ends.map { Int($0) }, among: owners, slot, prefetched: prefetched)
    }

    /// Gives each owner its members, all of which are faults to be read together; gives all members, each
    /// once.
    func share(
        _ members: [ObjectReference], ends: [Int], among owners: [ManagedObject], _ slot: Int,
        prefetched: PrefetchedRows?
    ) -> [ObjectReference] {
        let isShared = owners[0].layout.relationships[slot]?.isInverseToMany ?? true
        var seen: Set<ObjectReference> = []
        let all = isShared && owners.count > 1 ? members.filter { seen.insert($0).inserted } : members
        let isGroup = owners.count > 1 || prefetched != nil
        let faults = isGroup ? FaultGroup(all, includesUnmade: true, prefetched: prefetched) : nil
        var start = 0
        for (owner, end) in zip(owners, ends) {
            let own = Array(members[start..<end])
            owner.makeEdits().toMany[slot, default: ToManyContent()].load(own, faults: faults)
            start = end
            guard prefetched != nil else { continue }
            var content = ToManyContent()
            content.load(own, faults: faults)
            _ = registry.readAhead.note(content, slot, of: owner.reference)
        }
        return all
    }
}

extension CofferError {
    /// Whether less has to be asked for at a time.
    var isTooLarge: Bool {
        if case .refused(_, "too_large", _, _) = self { true } else { false }
    }

    /// Whether something of the store cannot be read, which may be one value's file alone.
    var isDamage: Bool {
        if case .refused(_, "damaged", _, _) = self { true } else { false }
    }
}
