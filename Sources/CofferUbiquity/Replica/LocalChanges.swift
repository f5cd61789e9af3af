internal import CofferMerge
internal import CofferModel

/// What saves did since the last fold, found by comparing rows with what the graph shows.
///
/// Histories tell which rows to compare, and not what was in them: so several saves between two folds are
/// one edit, made when the last of them was.
struct LocalChanges {
    private let replica: Replica
    private let stored: [RowAddress: StoredObject]
    private var book: RecordBook
    private let values: ValueBook
    private var changes: [LocalEdit.Change] = []
    private var pairs: Set<PairKey> = []
    /// The objects whose rows are gone.
    private var deleted: Set<RecordID> = []
    /// The objects whose rows are new.
    private var inserted: Set<RecordID> = []
    private let newName: (RowAddress) -> RecordID

    /// The changes of some rows: those of `stored` exist, and have their members unless no save changed
    /// any.
    ///
    /// The book is handed over and back, so that it is not copied. `deleted` names objects that are gone,
    /// which have no rows.
    init(
        of replica: Replica, _ stored: [RowAddress: StoredObject], book: consuming RecordBook,
        values: ValueBook, deleting deleted: Set<RecordID> = [],
        newName: @escaping (RowAddress) -> RecordID
    ) {
        (self.replica, self.stored, self.newName) = (replica, stored, newName)
        (self.book, self.values, self.deleted) = (book, values, deleted)
    }

    /// What became of the rows.
    struct Result {
        let changes: [LocalEdit.Change]
        /// The book with the objects that came.
        let book: RecordBook
        /// The objects of all rows that were compared.
        let names: Set<RecordID>
    }

    /// A row that is there, with its object.
    private struct PresentRow {
        let name: RecordID
        let object: StoredObject
        let entity: MergeEntity
        /// What the graph shows; `nil` of an object that is new, no members if the row was read without.
        var seen: SeenObject?
    }

    /// Compares rows.
    consuming func compare(_ rows: Set<RowAddress>) -> Result {
        let rows = rows.sorted()
        var present: [PresentRow] = []
        for row in rows {
            let entity = replica.model.entity(at: row.entity)
            if let object = stored[row] {
                let name = book.name(at: row) ?? insert(row, entity)
                present.append(PresentRow(name: name, object: object, entity: entity))
            } else if let name = book.name(at: row), replica.graph.shows(name) {
                deleted.insert(name)
            }
        }
        for place in present.indices { present[place].seen = seen(present[place]) }
        for row in present {
            compareValues(of: row)
            compareReferences(of: row)
            if row.object.hasMembers { compareMembers(of: row) }
        }
        // Orders name members, which are in only now.
        for row in present where row.object.hasMembers { compareOrders(of: row) }
        for name in deleted.sorted() { changes.append(.delete(name, through: cascade(to: name))) }
        for name in deleted { book.retire(name) }
        return Result(
            changes: changes, book: book, names: deleted.union(present.map(\.name)))
    }

    private mutating func insert(_ row: RowAddress, _ entity: MergeEntity) -> RecordID {
        // One that is brought back; of what was buried nothing new is taken.
        let former = book.goneName(at: row).flatMap { name in
            replica.graph.owner(of: name) == nil && !replica.registers.isBuried(name) ? name : nil
        }
        let name = former ?? newName(row)
        book.bind(name, to: row)
        inserted.insert(name)
        changes.append(.insert(name, entity: entity.name))
        return name
    }

    private func seen(_ row: PresentRow) -> SeenObject? {
        inserted.contains(row.name)
            ? nil : replica.graph.object(row.name, withMembers: row.object.hasMembers)
    }

    private mutating func compareValues(of row: PresentRow) {
        for (property, attribute) in row.entity.attributes.sorted(by: { $0.key < $1.key }) {
            // What cannot be read was not edited, nor was what has not come.
            guard let content = row.object.content(property) else { continue }
            if let seen = row.seen, seen.content(property) == content { continue }
            if content == .null, values.isWanted(row.name, property) { continue }
            let isDefaulted =
                row.seen == nil && (content == .null || content == .value(attribute.defaultValue))
            changes.append(.set(row.name, property, Cell(content, isDefaulted: isDefaulted)))
        }
    }

    private mutating func compareReferences(of row: PresentRow) {
        for property in row.entity.references.keys.sorted() {
            let target = row.object.references[property].flatMap { book.name(at: $0) }
            let former = row.seen?.references[property]
            if row.seen != nil, target == former { continue }
            // A rule set it to null, since its target went: it was not edited.
            if target == nil, let former, deleted.contains(former) { continue }
            let cell = Cell(
                target.map { .record($0) } ?? .null, isDefaulted: row.seen == nil && target == nil)
            changes.append(.set(row.name, property, cell))
        }
    }

    private mutating func compareMembers(of row: PresentRow) {
        for (property, relationship) in row.entity.pairs.sorted(by: { $0.key < $1.key }) {
            let now = Set((row.object.members[property] ?? []).compactMap { book.name(at: $0) })
            let before = row.seen?.members[property] ?? []
            for other in now.subtracting(before).sorted() {
                change(relationship, of: row.name, with: other, isIn: true)
            }
            for other in before.subtracting(now).subtracting(deleted).sorted() {
                change(relationship, of: row.name, with: other, isIn: false)
            }
        }
    }

    /// Both ends show a pair; it is changed once.
    private mutating func change(
        _ relationship: MergeRelationship, of name: RecordID, with other: RecordID, isIn: Bool
    ) {
        guard pairs.insert(relationship.pair(name, other)).inserted else { return }
        changes.append(.pair(name, relationship.name.property, other, isIn: isIn))
    }

    private mutating func compareOrders(of row: PresentRow) {
        for property in row.entity.relationships.filter(\.isOrdered).map(\.name.property).sorted() {
            let now = (row.object.orders[property] ?? []).compactMap { book.name(at: $0) }
            let before = (row.seen?.orders[property] ?? []).filter { !deleted.contains($0) }
            if now != before { changes.append(.order(row.name, property, now)) }
        }
    }

    /// The to-one property through which a cascade took an object; `nil` if it was deleted by hand.
    private func cascade(to name: RecordID) -> String? {
        guard let object = replica.graph.object(name, withMembers: false),
            let entity = replica.model.entities[object.entity]
        else { return nil }
        return entity.references.sorted { $0.key < $1.key }.first { property, relationship in
            guard let owner = object.references[property], deleted.contains(owner),
                let inverse = relationship.inverse?.property,
                let other = replica.graph.entity(of: owner)
            else { return false }
            return other.relationship(inverse)?.rule == .cascade
        }?.key
    }
}
