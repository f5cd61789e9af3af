internal import CofferMerge

/// Where the row of an object is: its leaf entity, by index in the model, and its key.
package struct RowAddress: Hashable, Sendable {
    package let entity: Int
    package let key: Int64
}

extension RowAddress: Comparable {
    package static func < (one: RowAddress, other: RowAddress) -> Bool {
        (one.entity, one.key) < (other.entity, other.key)
    }
}

/// Which row shows which object: each object that is seen has one, with the key that it had here first.
struct RecordBook: Sendable {
    private(set) var rows: [RecordID: RowAddress] = [:]
    private(set) var names: [RowAddress: RecordID] = [:]
    /// The objects whose row is another one than the file says.
    private(set) var changed: Set<RecordID> = []
    /// The objects that are gone, by the row that showed them: one that is brought back has the name that it
    /// had.
    private(set) var gone: [RowAddress: RecordID] = [:]
    private var goneRows: [RecordID: RowAddress] = [:]

    /// Notes that a row shows an object, and no other one any more.
    mutating func bind(_ name: RecordID, to row: RowAddress) {
        if rows[name] == row { return }
        unbind(name)
        if let former = names[row] { unbind(former) }
        if let former = gone[row] { forget(former) }
        forget(name)
        rows[name] = row
        names[row] = name
        changed.insert(name)
    }

    /// Notes that no row shows an object.
    mutating func unbind(_ name: RecordID) {
        guard let row = rows.removeValue(forKey: name) else { return }
        names[row] = nil
        changed.insert(name)
    }

    /// Notes that an object is gone, and its row with it.
    mutating func retire(_ name: RecordID) {
        guard let row = rows[name] else { return }
        unbind(name)
        note(name, goneFrom: row)
    }

    /// Notes which row showed an object that is gone.
    mutating func note(_ name: RecordID, goneFrom row: RowAddress) {
        if let former = gone[row] { forget(former) }
        gone[row] = name
        goneRows[name] = row
    }

    private mutating func forget(_ name: RecordID) {
        guard let row = goneRows.removeValue(forKey: name) else { return }
        gone[row] = nil
        changed.insert(name)
    }

    /// The book, for a caller that changes it and gives it back; this one is empty meanwhile.
    mutating func handOver() -> RecordBook {
        var book = RecordBook()
        swap(&self, &book)
        return book
    }

    /// The row that shows an object, or that showed it before it went.
    func keptRow(of name: RecordID) -> RowAddress? { rows[name] ?? goneRows[name] }

    /// Notes that the file says the same.
    mutating func didKeep() { changed = [] }
}
