import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Reads what key paths lead to from objects: one round trip for each step and 10,000 objects, and one
    /// more if to-one relationships begin at faults.
    func prefetch(
        _ steps: [PrefetchStep], from objects: [ManagedObject], _ extent: RowExtent = .withoutExternal
    ) throws(CofferError) {
        var run = PrefetchRun(steps, from: objects, extent, in: self)
        while let piece = run.next() {
            do throws(CofferError) {
                try read(piece, &run)
            } catch {
                guard error.isTooLarge, run.split(piece) else { throw error }
            }
        }
    }

    /// Reads what key paths lead to without blocking the context's actor.
    func prefetchAsync(
        _ steps: [PrefetchStep], from objects: [ManagedObject], _ extent: RowExtent
    ) async throws {
        var run = PrefetchRun(steps, from: objects, extent, in: self)
        while let piece = run.next() {
            try Task.checkCancellation()
            do {
                try await readAsync(piece, extent)
            } catch let error as CofferError {
                guard error.isTooLarge, run.split(piece) else { throw error }
            }
        }
    }

    /// Reads the members of a relationship of those objects of which they are not known.
    func readMembers(of objects: [ManagedObject], _ slot: Int) throws(CofferError) {
        let unread = objects.filter { object in
            object.status.isDisjoint(with: [.inserted, .gone]) && object.edits?.toMany[slot]?.members == nil
        }
        guard unread.count > 1 else {
            if let object = unread.first { try loadMembers(of: object, slot) }
            return
        }
        try prefetch([PrefetchStep(slot: slot, isToMany: true, next: [])], from: unread)
    }

    private func read(_ piece: PrefetchRun.Piece, _ run: inout PrefetchRun) throws(CofferError) {
        let began = ContextTrace.beginning
        defer { trace("prefetch", since: began, rows: piece.count) }
        switch piece {
        case .rows(let references, let rows):
            if let link { return try read(references, extent: run.extent, into: rows, from: link) }
            statistics.faultsFired += 1
            let request = rowsRequest(references, run.extent)
            sendReleases()
            let reply = try coordinator.rows(request)
            try keep(reply.batches, extent: run.extent, store: references[0].store, in: rows)
        case .members(let owners, let slot, let rows):
            if let link {
                let members = try loadMembers(of: owners, slot, from: link, prefetched: rows)
                return run.add(members.filter { registry.object($0)?.isFault ?? true }, rows)
            }
            let request = membersRequest(owners, slot, rows: run.extent)
            sendReleases()
            try take(try coordinator.relationship(request), extent: run.extent, of: owners, slot, into: rows)
        }
    }

    private func readAsync(_ piece: PrefetchRun.Piece, _ extent: RowExtent) async throws {
        sendReleases()
        let coordinator = coordinator
        let began = ContextTrace.beginning
        defer { trace("prefetch", since: began, rows: piece.count) }
        switch piece {
        case .rows(let references, let rows):
            statistics.faultsFired += 1
            let reply: RowsReplyMessage = try await currentAnswer(
                about: [references[0].table], number: \.number
            ) {
                let request = rowsRequest(references, extent)
                return { _ throws(CofferError) in try coordinator.rows(request) }
            }
            try keep(reply.batches, extent: extent, store: references[0].store, in: rows)
        case .members(let owners, let slot, let rows):
            let reply: RelationshipReplyMessage = try await currentAnswer(
                about: ends(of: slot, from: owners[0]), number: \.number
            ) {
                let request = membersRequest(owners, slot, rows: extent)
                return { _ throws(CofferError) in try coordinator.relationship(request) }
            }
            try take(reply, extent: extent, of: owners, slot, into: rows)
        }
    }

    /// The inheritance trees at both ends of a relationship.
    private func ends(of slot: Int, from owner: ManagedObject) -> [ObjectReference.Table] {
        var tables = [owner.reference.table]
        if let relationship = owner.layout.relationships[slot] {
            tables.append(
                ObjectReference.Table(
                    store: owner.reference.store, root: UInt16(relationship.destination.rootIndex)))
        }
        return tables
    }

    private func take(
        _ reply: RelationshipReplyMessage, extent: RowExtent, of owners: [ManagedObject], _ slot: Int,
        into rows: PrefetchedRows
    ) throws(CofferError) {
        let store = owners[0].reference.store
        try take(reply, of: owners, slot, prefetched: rows)
        try keep(reply.batches, extent: extent, store: store, in: rows)
    }

    /// Keeps rows until their objects are made, and gives those that are there their values.
    private func keep(
        _ blocks: [PackedRows], extent: RowExtent, store: Int16, in prefetched: PrefetchedRows?
    ) throws(CofferError) {
        var awake: [ManagedObject] = []
        for rows in blocks {
            let batch = try registry.snapshots(rows, extent)
            for row in 0..<rows.rowCount {
                let reference = registry.reference(
                    store: store, entity: rows.leafEntity(row), key: rows.primaryKey(row))
                prefetched?.keep(reference, batch, row: row)
                guard let object = registry.object(reference) else { continue }
                if object.isFault { awake.append(object) }
                if object.isFault || batch.version(row) > object.version { object.adopt(batch, row: row) }
            }
        }
        for object in awake { object.awakeFromFetch() }
    }

    /// Reads rows from the parent; those that have more than a row says are read again when they are asked
    /// for.
    private func read(
        _ references: [ObjectReference], extent: RowExtent, into prefetched: PrefetchedRows?,
        from parent: ParentLink
    ) throws(CofferError) {
        statistics.faultsFired += 1
        let answer = try parent.run { parent in
            outcome { () throws(CofferError) in try parent.serveRows(references, extent) }
        }
        for object in try take(answer) where object.edits == nil {
            if let batch = object.batch { prefetched?.keep(object.reference, batch, row: Int(object.row)) }
        }
    }
}
