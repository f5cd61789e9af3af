internal import CofferContainer
internal import CofferMerge
internal import CofferStores
internal import CofferWire

/// Which properties of which rows were saved since the last fold, and when, as history tells.
struct UnfoldedSaves {
    /// What was done to a row, and when: microseconds since 1970.
    private struct RowEdits {
        /// When it came, if it did.
        var birth: Int64?
        var last: Int64
        /// Whether it came or went: then all of it was saved.
        var isWhole = false
        /// When properties were saved last, by their places in the entity.
        var properties: [Int: Int64] = [:]
    }

    private var edits: [RowAddress: RowEdits] = [:]
    /// Whether rows may differ of which history tells nothing: it does not go back so far, or rows were
    /// written without it.
    private(set) var isIncomplete: Bool
    /// When such rows were written at the latest.
    private var latest: Int64

    /// The saves after transaction `number`, or those that are left of them if some were purged.
    ///
    /// - Parameters:
    ///   - number: The last transaction that is folded; 0 if none is, and then no time is known.
    ///   - isForeign: Whether the file was written to without history.
    ///   - moment: The file with them.
    ///   - now: The time.
    /// - Throws: `StoreError` if history cannot be read.
    init(
        since number: UInt64, isForeign: Bool = false, in moment: FileMoment, now: WallTime
    ) throws(StoreError) {
        latest = now.microseconds
        let known = number == 0 ? nil : try moment.history.transactions(since: number)
        isIncomplete = known == nil || isForeign
        var transactions = known ?? []
        if known == nil, number > 0 {
            transactions = try moment.history.transactions(since: moment.history.floor()) ?? []
            // What was purged is older than what is left.
            if let first = transactions.first { latest = Self.microseconds(first.timestamp) }
        }
        for transaction in transactions {
            switch transaction.origin {
            case .import: continue
            case .migration: isIncomplete = true
            case .reload, .save: note(transaction)
            }
            if transaction.origin == .reload { isIncomplete = true }
        }
    }

    /// A time of history, which anybody may have written, as one that a stamp can have.
    private static func microseconds(_ seconds: Double) -> Int64 {
        let exact = Int64(exactly: ((seconds + 978_307_200) * 1e6).rounded())
        return min(max(exact ?? 0, 0), CofferMerge.Limits.lastMicrosecond)
    }

    private mutating func note(_ transaction: TransactionMessage) {
        let time = Self.microseconds(transaction.timestamp)
        for group in transaction.changes {
            for key in group.primaryKeys {
                let row = RowAddress(entity: group.entity, key: key)
                var edit = edits[row] ?? RowEdits(last: time)
                // Clocks go back: what is later in history is at least as late here.
                edit.last = max(edit.last, time)
                switch group.kind {
                case .insert:
                    edit.isWhole = true
                    edit.birth = edit.birth ?? time
                case .delete: edit.isWhole = true
                case .update:
                    for property in group.properties { edit.properties[property] = edit.last }
                }
                edits[row] = edit
            }
        }
    }

    /// The rows.
    var rows: Set<RowAddress> { Set(edits.keys) }

    /// The rows of which nothing but properties for which `isMeant` says so were saved.
    func rows(
        thatWroteOnly isMeant: (RowAddress, _ property: Int) -> Bool
    ) -> Set<RowAddress> {
        Set(
            edits.filter { row, edit in
                !edit.isWhole && !edit.properties.isEmpty
                    && edit.properties.keys.allSatisfy { isMeant(row, $0) }
            }
            .keys)
    }

    /// The rows of some entities of which a property was saved, by its place.
    func rows(thatWrote property: Int, in family: Range<Int>) -> Set<RowAddress> {
        Set(
            edits.filter { row, edit in
                family.contains(row.entity) && (edit.isWhole || edit.properties[property] != nil)
            }
            .keys)
    }

    /// Whether a property of a row was saved.
    func wrote(_ property: String, of row: RowAddress, _ entity: MergeEntity) -> Bool {
        guard let edit = edits[row] else { return false }
        return edit.isWhole || entity.propertyIndex(property).map { edit.properties[$0] != nil } ?? false
    }

    /// Whether an owner's set was saved, if `relationship` is the other end of one without inverse.
    func wroteSet(of relationship: MergeRelationship, at owner: RowAddress, _ model: MergeModel) -> Bool {
        guard relationship.isUnnamed, let set = relationship.inverse?.property else { return false }
        return wrote(set, of: owner, model.entity(at: owner.entity))
    }

    /// Those of some changes that saves made: all of objects that came, and else of properties that history
    /// names.
    func made(
        _ changes: [LocalEdit.Change], of replica: Replica, rows: (RecordID) -> RowAddress?
    ) -> [LocalEdit.Change] {
        func wrote(_ name: RecordID, _ property: String) -> Bool {
            // An object that had no row before came by a save.
            guard let row = rows(name) else { return true }
            return self.wrote(property, of: row, replica.model.entity(at: row.entity))
        }
        return changes.filter { change in
            switch change {
            case .insert, .delete: true
            case .set(let name, let property, let cell):
                wrote(name, property)
                    || replica.sets(of: property, of: name, cell, rows(name)).contains { wrote($0, $1) }
            case .order(let name, let property, _): wrote(name, property)
            case .pair(let name, let property, let other, _):
                wrote(name, property)
                    || replica.inverse(of: property, from: name, rows(name)).map { wrote(other, $0) } ?? false
            }
        }
    }
}

// MARK: When

extension UnfoldedSaves {
    /// Changes as edits, one for each time: what one save did is one edit, as far as no later one did it
    /// again.
    ///
    /// - Parameters:
    ///   - changes: What was found to differ.
    ///   - replica: By whose model entities are known.
    ///   - book: The rows of all objects, those that went included.
    /// - Returns: The edits, the oldest first.
    func edits(_ changes: [LocalEdit.Change], of replica: Replica, book: RecordBook) -> [LocalEdit] {
        let times = ChangeTimes(saves: self, replica: replica, book: book)
        return Dictionary(grouping: changes, by: times.time).sorted { $0.key < $1.key }
            .map { LocalEdit(at: $0.key, $0.value) }
    }

    /// The times of changes.
    private struct ChangeTimes {
        let saves: UnfoldedSaves
        let replica: Replica
        let book: RecordBook

        private func edits(of name: RecordID) -> RowEdits? { row(of: name).flatMap { saves.edits[$0] } }

        private func row(of name: RecordID) -> RowAddress? { book.keptRow(of: name) }

        /// When an object came; nothing leads to it before that.
        private func birth(_ name: RecordID) -> Int64 { edits(of: name)?.birth ?? .min }

        /// When a property was saved; `nil` if history does not say.
        private func known(_ name: RecordID, _ property: String?) -> Int64? {
            guard let edits = edits(of: name), let row = row(of: name), let property else { return nil }
            let place = replica.model.entity(at: row.entity).propertyIndex(property)
            return place.flatMap { edits.properties[$0] } ?? (edits.isWhole ? edits.birth ?? edits.last : nil)
        }

        private func time(_ name: RecordID, _ property: String) -> Int64 {
            max(known(name, property) ?? edits(of: name)?.last ?? saves.latest, birth(name))
        }

        func time(_ change: LocalEdit.Change) -> Int64 {
            switch change {
            case .insert(let name, _):
                return edits(of: name).map { $0.birth ?? $0.last } ?? saves.latest
            case .delete(let name, _): return edits(of: name)?.last ?? saves.latest
            case .set(let name, let property, let cell):
                let sets = replica.sets(of: property, of: name, cell, row(of: name))
                let changed = sets.compactMap { known($0, $1) }.max()
                return max(changed ?? time(name, property), birth(name), cell.record.map(birth) ?? .min)
            case .order(let name, let property, let members):
                return max(time(name, property), members.map(birth).max() ?? .min)
            case .pair(let name, let property, let other, _):
                let inverse = replica.inverse(of: property, from: name, row(of: name))
                let ends = [known(name, property), known(other, inverse)].compactMap(\.self)
                return max(ends.min() ?? time(name, property), birth(name), birth(other))
            }
        }
    }
}

extension Replica {
    /// The sets that an object came into or left, of which history tells: if a property is the owner in a
    /// to-many relationship without inverse.
    fileprivate func sets(
        of property: String, of name: RecordID, _ cell: Cell, _ row: RowAddress?
    ) -> [(owner: RecordID, property: String)] {
        guard let entity = row.map({ model.entity(at: $0.entity) }),
            let relationship = entity.references[property], relationship.isUnnamed,
            let set = relationship.inverse?.property
        else { return [] }
        let former = graph.object(name, withMembers: false)?.references[property]
        return [cell.record, former].compactMap { owner in owner.map { ($0, set) } }
    }

    /// The other end of a relationship of an object.
    fileprivate func inverse(of property: String, from name: RecordID, _ row: RowAddress?) -> String? {
        row.flatMap { model.entity(at: $0.entity).relationship(property)?.inverse?.property }
    }
}
