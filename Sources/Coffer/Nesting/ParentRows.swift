import CofferModel
import CofferWire

/// Objects of a context with their values, as they travel to a context below it.
struct ParentRows: Sendable {
    /// Objects of one store, or of none yet, and one leaf entity.
    struct Group: Sendable {
        var store: Int16
        var rows: RowBatch
        /// What columns cannot say: transient values, and references to objects of another store or of none.
        var extras: [(row: Int, slot: Int, content: PropertyContent)]
    }

    /// The objects, in the order of the answer.
    var references: [ObjectReference] = []
    /// What the groups have of the objects.
    var extent = RowExtent.whole
    /// The rows of the objects in groups; empty if only the references were asked for.
    var groups: [Group] = []
}

extension ManagedObjectContext {
    /// Objects with `extent` of the values that they have here; those that are not read yet are read
    /// together.
    func rows(of objects: [ManagedObject], _ extent: RowExtent) throws(CofferError) -> ParentRows {
        try readTogether(objects, extent)
        var answer = ParentRows(references: objects.map(\.reference), extent: extent)
        struct Kind: Hashable {
            var store: Int16
            var leaf: UInt16
        }
        var groups: [Kind: [ManagedObject]] = [:]
        for object in objects {
            let kind = Kind(store: object.reference.store, leaf: object.reference.leaf)
            groups[kind, default: []].append(object)
        }
        for (kind, objects) in groups { answer.groups.append(group(objects, extent, store: kind.store)) }
        return answer
    }

    /// Reads those of `objects` that lack something of `extent`, in as few round trips as they need.
    func readTogether(
        _ objects: some Sequence<ManagedObject>, _ extent: RowExtent
    ) throws(CofferError) {
        let unread = Set(objects.filter { $0.lacks(extent) })
        for (_, objects) in Dictionary(grouping: unread, by: \.reference.table) {
            for start in stride(from: 0, to: objects.count, by: Limits.rowsForChild) {
                try read(Array(objects[start..<min(start + Limits.rowsForChild, objects.count)]), extent)
            }
        }
    }

    private func group(_ objects: [ManagedObject], _ extent: RowExtent, store: Int16) -> ParentRows.Group {
        let layout = objects[0].layout
        var group = ParentRows.Group(
            store: store,
            rows: RowBatch(
                rowCount: objects.count, entity: layout.entity.index,
                primaryKeys: objects.map(\.reference.key),
                versions: Array(repeating: nextStamp(), count: objects.count)), extras: [])
        for slot in layout.storedSlots where extent == .whole || !layout.isExternal(slot) {
            var builder =
                if let type = layout.attributeTypes[slot] {
                    ColumnBuilder(property: slot, type: type, capacity: objects.count)
                } else {
                    ColumnBuilder(referencesOf: slot, capacity: objects.count)
                }
            for (row, object) in objects.enumerated() {
                let content = object.livingContent(slot)
                if !builder.append(content, of: store) {
                    builder.appendNull()
                    group.extras.append((row, slot, content))
                }
            }
            group.rows.columns.append(builder.finish())
        }
        for (slot, property) in layout.entity.properties.enumerated() where property.isTransient {
            if property.relationship?.isToMany ?? false { continue }
            for (row, object) in objects.enumerated() {
                let content = object.livingContent(slot)
                if content != .null { group.extras.append((row, slot, content)) }
            }
        }
        return group
    }

    /// Takes in what the parent answered; says which objects it came to, which hold no longer than the answer
    /// is held.
    func take(_ answer: ParentRows) throws(CofferError) -> [ManagedObject] {
        followNames()
        var objects: [ObjectReference: ManagedObject] = [:]
        for group in answer.groups {
            let batch = try registry.snapshots(group.rows, answer.extent)
            if answer.extent == .whole { registry.layout(group.rows.entity).learn(from: batch.rows) }
            let taken = (0..<group.rows.rowCount).map { row in
                let reference = tree.resolve(
                    registry.reference(
                        store: group.store, entity: group.rows.entity, key: group.rows.primaryKeys[row]))
                let object = object(reference)
                objects[reference] = object
                return object
            }
            let first = taken.map { $0.isFault }
            for (row, object) in taken.enumerated() {
                object.adopt(batch, row: row)
                // The parent says all of transient values, too.
                object.edits?.moved.keep { !object.entity.properties[$0].isTransient }
            }
            for (row, slot, content) in group.extras {
                taken[row].makeEdits().takeStored(content.renamed { tree.resolve($0) }, slot)
            }
            for (object, isFirst) in zip(taken, first) where isFirst { object.awakeFromFetch() }
        }
        return answer.references.map { reference in
            let reference = tree.resolve(reference)
            return objects[reference] ?? object(reference)
        }
    }
}

extension PropertyContent {
    /// The content with the object it leads to, if any, named by `name`.
    func renamed(_ name: (ObjectReference) -> ObjectReference) -> PropertyContent {
        if case .reference(let reference) = self { .reference(name(reference)) } else { self }
    }
}

extension ColumnBuilder {
    /// Appends what an object of the store at place `store` holds; `false` if a column cannot hold it.
    fileprivate mutating func append(_ content: PropertyContent, of store: Int16) -> Bool {
        switch content {
        case .reference(let target):
            guard !target.isUnsaved, target.store == store else { return false }
            append(reference: target.key, entity: UInt32(target.leaf))
            return true
        case .value(let value):
            do throws(WireError) { try append(value) } catch { return false }
            return true
        }
    }
}
