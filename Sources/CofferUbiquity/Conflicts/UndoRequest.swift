internal import CofferContainer
internal import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire
internal import FoundationEssentials

/// The save that undoes one conflict, composed inside the transaction that it is part of.
struct UndoRequest {
    private let noted: NotedConflict
    private let writer: StoreWriter
    private let reading: ConflictReading
    private let file: StoreFile

    init(_ noted: NotedConflict, in file: StoreFile, on writer: StoreWriter) {
        (self.noted, self.file, self.writer) = (noted, file, writer)
        reading = ConflictReading(writer.connection, of: file)
    }

    /// The save.
    ///
    /// - Throws: `ConflictUndo.Refusal.impossible` if what it is about is not at hand.
    func message() throws(ConflictUndo.Refusal) -> SaveRequestMessage {
        let conflict = noted.conflict
        guard let entity = reading.merge.entities[conflict.entity] else {
            throw impossible("the model has no such entity any more")
        }
        var save = SaveRequestMessage(store: 0, request: .unrepeated)
        let row = try resolve(conflict.object)
        switch conflict.kind {
        case .value, .move, .merge:
            guard let row, let version = try self.version(of: row) else {
                throw impossible("the object is gone")
            }
            let columns = try columns(of: entity)
            let sets = try setChanges(of: entity, at: row)
            if columns.isEmpty, sets == nil { throw hasNoProperties }
            save.setChanges = sets ?? []
            if columns.isEmpty { break }
            save.updates = [
                UpdateGroup(
                    entity: row.entity, primaryKeys: [row.key], versions: [version], columns: columns)
            ]
        case .deletion:
            guard let row, let version = try self.version(of: row) else {
                throw impossible("the object is gone")
            }
            save.deletes = [DeleteGroup(entity: row.entity, primaryKeys: [row.key], versions: [version])]
        case .edit:
            if let row, try version(of: row) != nil { throw impossible("the object is there again") }
            let columns = try columns(of: entity)
            if columns.isEmpty { throw hasNoProperties }
            save.inserts = [
                InsertGroup(entity: entity.index, temporaryIDs: [UUID()], columns: columns)
            ]
        }
        return save
    }

    private var hasNoProperties: ConflictUndo.Refusal {
        impossible("the model has none of its properties any more")
    }

    private func impossible(_ reason: String) -> ConflictUndo.Refusal {
        .impossible(noted.number, reason: reason)
    }

    /// The row of an object; of one that became part of another, that one's.
    private func resolve(_ name: RecordID) throws(ConflictUndo.Refusal) -> RowAddress? {
        do throws(StoreError) {
            if let row = try reading.row(of: name) { return row }
            // It may be one with another by now, which only registers tell.
            let kept = try KeptReplica(reading: writer.connection, of: file, rules: .init())
            let row = kept.replica.graph.owner(of: name).flatMap { kept.book.row(of: $0) }
            try kept.lookedUp?.check()
            return row
        } catch {
            throw impossible("\(error)")
        }
    }

    /// The version of a row; `nil` if it is gone.
    private func version(of row: RowAddress) throws(ConflictUndo.Refusal) -> UInt32? {
        try present(row)?.version
    }

    /// What a row shows; `nil` if it is gone.
    private func present(_ row: RowAddress) throws(ConflictUndo.Refusal) -> StoredObject? {
        do throws(StoreError) {
            let objects = ObjectReading(
                reader: try writer.batchReader(), model: reading.model, merge: reading.merge)
            return try objects.objects(at: [row])[row]
        } catch {
            throw impossible("\(error)")
        }
    }

    /// What was overruled, as columns of one row.
    private func columns(of entity: MergeEntity) throws(ConflictUndo.Refusal) -> [Column] {
        var columns: [Column] = []
        for (property, content) in noted.conflict.lost.compactMap(\.cell) {
            guard let index = entity.propertyIndex(property) else { continue }
            columns.append(try column(at: index, named: property, content, of: entity))
        }
        return columns
    }

    /// The owners in to-many relationships without inverse that were overruled, as changes of their sets.
    ///
    /// `nil` if none was.
    private func setChanges(
        of entity: MergeEntity, at row: RowAddress
    ) throws(ConflictUndo.Refusal) -> [SetChange]? {
        var changes: [SetChange] = []
        var isKnown = false
        for (name, content) in noted.conflict.lost.compactMap(\.cell) {
            guard let relationship = entity.references[name],
                let (_, property) = reading.merge.set(of: relationship)
            else { continue }
            isKnown = true
            let owner: RowAddress?
            if case .record(let target) = content {
                owner = try resolve(target)
                guard let owner, try version(of: owner) != nil else {
                    throw impossible("the object that had it is gone")
                }
            } else {
                owner = try present(row)?.references[name]
            }
            guard let owner else { continue }
            var change = SetChange(
                entity: owner.entity, property: property, owners: [owner.key], targets: [row.key])
            change.removed = [content == .null ? 1 : 0]
            changes.append(change)
        }
        return isKnown ? changes : nil
    }

    private func column(
        at index: Int, named property: String, _ content: Cell.Content, of entity: MergeEntity
    ) throws(ConflictUndo.Refusal) -> Column {
        if let attribute = entity.attributes[property] {
            var column = ColumnBuilder(property: index, type: attribute.type, capacity: 1)
            let value: AttributeValue
            switch content {
            case .null: value = .null
            case .value(let known): value = known
            case .large:
                throw impossible("'\(property)' had more than 100 KB, which the journal does not keep")
            case .record: throw impossible("'\(property)' is not a relationship any more")
            }
            do throws(WireError) { try column.append(value) } catch { throw impossible("\(error)") }
            return column.finish()
        }
        var column = ColumnBuilder(referencesOf: index, capacity: 1)
        if case .record(let target) = content {
            let row = try resolve(target)
            if let row, try version(of: row) != nil {
                column.append(reference: row.key, entity: UInt32(row.entity))
            } else if noted.conflict.kind == .edit {
                // The object comes back without the others that were deleted.
                column.appendNull()
            } else {
                throw impossible("the object that '\(property)' led to is gone")
            }
        } else {
            column.appendNull()
        }
        return column.finish()
    }
}
