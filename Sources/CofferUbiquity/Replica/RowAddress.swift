internal import CofferMerge

/// Where the row of an object is: its leaf entity, by index in the model, and its key.
struct RowAddress: Hashable, Sendable {
    let entity: Int
    let key: Int64
}

extension RowAddress: Comparable {
    static func < (one: RowAddress, other: RowAddress) -> Bool {
        (one.entity, one.key) < (other.entity, other.key)
    }
}

/// Which row shows which object: each object that is seen has one, with the key that it had here first.
struct RecordBook: Sendable {
    private(set) var rows: [RecordID: RowAddress] = [:]
    private(set) var names: [RowAddress: RecordID] = [:]
    /// The objects whose row is another one than the file says.
    private(set) var changed: Set<RecordID> = []

    /// Notes that a row shows an object, and no other one any more.
    mutating func bind(_ name: RecordID, to row: RowAddress) {
        if rows[name] == row { return }
        unbind(name)
        if let former = names[row] { unbind(former) }
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

    /// Notes that the file says the same.
    mutating func didKeep() { changed = [] }
}
