import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Reads an object's row, and with it those of other faults of its group.
    ///
    /// If only some of its values are missing, the group consists of those objects it was read with that
    /// miss some too. Values of attributes that allow external storage come along if `extent` or the group
    /// says so, and if the object has some already, which it would lose. They are of the same moment as all
    /// the others, which the row brings again.
    ///
    /// - Throws: `CofferError.objectDeleted` if the store does not have it.
    func fire(_ object: ManagedObject, _ extent: RowExtent = .withoutExternal) throws(CofferError) {
        if object.status.contains(.gone) || (object.reference.isUnsaved && link == nil) {
            throw object.loss
        }
        let group = object.faults ?? object.batch?.group(in: registry, store: object.reference.store)
        let isWhole = extent == .whole || group?.extent == .whole || object.knowsExternalValue
        let extent = isWhole ? RowExtent.whole : .withoutExternal
        let candidates = group?.around(object.reference, limit: rowsAtOnce(object.layout, extent)) ?? []
        var objects = [object]
        var unmade: [ObjectReference] = []
        for reference in candidates where reference != object.reference {
            if let other = registry.object(reference) {
                if other.isFault || (other.batch === object.batch && other.lacks(extent)) {
                    objects.append(other)
                }
            } else if group?.includesUnmade ?? false, !registry.readAhead.contains(reference) {
                unmade.append(reference)
            }
        }
        do throws(CofferError) {
            try read(objects, ahead: unmade, extent)
        } catch {
            guard error.isDamage, extent == .whole, objects.count + unmade.count > 1 else { throw error }
            readWhatIsThere(objects[...])
            // What is lost is lost to its own object.
            if object.lacks(extent) { try read([object], extent) }
        }
        if object.status.contains(.gone) { throw object.loss }
    }

    /// Reads the rows of objects of which some have lost the file of a value, and leaves those as they are.
    private func readWhatIsThere(_ objects: ArraySlice<ManagedObject>) {
        do throws(CofferError) {
            try read(Array(objects), .whole)
        } catch {
            guard error.isDamage, objects.count > 1 else { return }
            let middle = (objects.startIndex + objects.endIndex) / 2
            readWhatIsThere(objects[..<middle])
            readWhatIsThere(objects[middle...])
        }
    }

    /// Reads the rows of objects of one store's inheritance tree; those that it does not have turn out to be
    /// deleted.
    ///
    /// The rows `ahead` are kept until their objects are asked for. What is too large for one answer is
    /// read in several.
    func read(
        _ objects: [ManagedObject], ahead: [ObjectReference] = [], _ extent: RowExtent = .withoutExternal
    ) throws(CofferError) {
        guard let first = objects.first else { return }
        if let link { return try read(objects, extent, from: link) }
        var rest = objects[...]
        while rest.count > rowsAtOnce(first.layout, extent) {
            let count = rowsAtOnce(first.layout, extent)
            try readOrSplit(Array(rest.prefix(count)), ahead: [], extent)
            rest = rest.dropFirst(count)
        }
        try readOrSplit(Array(rest), ahead: ahead, extent)
    }

    private func rowsAtOnce(_ layout: EntityLayout, _ extent: RowExtent) -> Int {
        extent == .whole ? layout.rowsAtOnce : .max
    }

    private func readOrSplit(
        _ objects: [ManagedObject], ahead: [ObjectReference], _ extent: RowExtent
    ) throws(CofferError) {
        do throws(CofferError) {
            try readAtOnce(objects, ahead: ahead, extent)
        } catch {
            guard error.isTooLarge, objects.count + ahead.count > 1 else { throw error }
            if objects.count == 1 { return try readAtOnce(objects, ahead: [], extent) }
            let middle = objects.count / 2
            try readOrSplit(Array(objects[..<middle]), ahead: [], extent)
            try readOrSplit(Array(objects[middle...]), ahead: [], extent)
        }
    }

    private func readAtOnce(
        _ objects: [ManagedObject], ahead: [ObjectReference], _ extent: RowExtent
    ) throws(CofferError) {
        guard let first = objects.first else { return }
        sendReleases()
        statistics.faultsFired += 1
        let began = ContextTrace.beginning
        defer { trace("fault", since: began, entity: first.entity.name, rows: objects.count + ahead.count) }
        var request = rowsRequest(objects.map(\.reference) + ahead, extent)
        request.maximumAge = maximumAge
        let reply = try coordinator.rows(request)
        var missing = Set(objects)
        for rows in reply.batches {
            let batch = try registry.snapshots(rows, extent)
            if extent == .whole { registry.layout(rows.entity).learn(from: rows) }
            for row in 0..<rows.rowCount {
                let reference = registry.reference(
                    store: first.reference.store, entity: rows.leafEntity(row), key: rows.primaryKey(row))
                guard let object = registry.object(reference) else {
                    registry.keepAhead(reference, batch, row: row)
                    continue
                }
                missing.remove(object)
                object.adopt(batch, row: row)
                object.awakeFromFetch()
            }
        }
        followDeletion(of: missing.map(\.reference))
    }

    /// What to ask for rows of one store's inheritance tree.
    func rowsRequest(_ references: [ObjectReference], _ extent: RowExtent) -> RowsRequestMessage {
        let first = references[0]
        return RowsRequestMessage(
            store: registry.stores[Int(first.store)].handle, entity: Int(first.root),
            primaryKeys: references.map(\.key), generation: generation(of: first.store),
            withoutExternalValues: extent == .withoutExternal
                && registry.keepsExternal(inTreeOf: Int(first.root)))
    }

    /// `stalenessInterval` in milliseconds.
    private var maximumAge: UInt64? {
        stalenessInterval.map { interval in
            let (seconds, attoseconds) = interval.components
            let (whole, isForEver) = seconds.multipliedReportingOverflow(by: 1_000)
            return isForEver ? .max : UInt64(clamping: whole + attoseconds / 1_000_000_000_000_000)
        }
    }

    /// Tells the coordinator which rows the context no longer holds.
    ///
    /// While an answer is on its way they wait: it may hold some of them again, and must not be followed by
    /// their release.
    func sendReleases() {
        if arrivals.isWatching { return }
        let released = registry.takeReleased()
        if link != nil { return }  // A parent context counts for those below.
        for (store, root, keys) in released {
            let handle = registry.stores[Int(store)].handle
            if keys.count <= Limits.releaseBatch {
                coordinator.release(ReleaseRequestMessage(store: handle, entity: root, primaryKeys: keys))
                continue
            }
            for start in stride(from: 0, to: keys.count, by: Limits.releaseBatch) {
                coordinator.release(
                    ReleaseRequestMessage(
                        store: handle, entity: root,
                        primaryKeys: Array(keys[start..<min(start + Limits.releaseBatch, keys.count)])))
            }
        }
    }
}
