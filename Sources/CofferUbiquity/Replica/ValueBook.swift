internal import CofferContainer
internal import CofferMerge
internal import CofferModel

/// The large values that registers name, and which of them rows do not show yet.
///
/// A row shows null for a value that has not come: as long as that is so, the value was not edited.
struct ValueBook: Sendable {
    /// By the record whose cells name them.
    private(set) var named: [RecordID: Set<LargeValue>] = [:]
    /// The properties of objects whose values have not come, by the object's name.
    private(set) var wanted: [RecordID: Set<String>] = [:]
    /// The pieces that `KeptPieces` has, of values that no row shows, with the time since when the container
    /// lists them.
    private(set) var owed: [ObjectName: WallTime?] = [:]
    /// The objects of whose wanted properties the file says otherwise.
    private(set) var changed: Set<RecordID> = []

    /// Gives the book to another owner, and leaves an empty one, so that it is not copied.
    mutating func handOver() -> ValueBook {
        var book = ValueBook()
        swap(&self, &book)
        return book
    }

    /// Notes which values a record's cells name.
    mutating func count(_ cells: PropertyMap<Stamped<Cell>>, of record: RecordID) {
        var values: Set<LargeValue> = []
        for cell in cells.values {
            if case .large(let value) = cell.value.content { values.insert(value) }
        }
        if !values.isEmpty { named[record] = values } else if named[record] != nil { named[record] = nil }
    }

    /// Whether a property's value has not come.
    func isWanted(_ name: RecordID, _ property: String) -> Bool { wanted[name]?.contains(property) ?? false }

    /// Notes that a property's value is to come.
    mutating func want(_ name: RecordID, _ property: String) {
        if wanted[name, default: []].insert(property).inserted { changed.insert(name) }
    }

    /// Notes that a row shows what registers say of a property.
    mutating func show(_ name: RecordID, _ property: String) {
        guard wanted[name]?.remove(property) != nil else { return }
        if wanted[name]?.isEmpty ?? false { wanted[name] = nil }
        changed.insert(name)
    }

    /// Notes that the file keeps pieces for the container.
    mutating func owe(_ pieces: [ObjectName]) {
        for name in pieces where owed[name] == nil { owed.updateValue(nil, forKey: name) }
    }

    /// Notes what the file keeps of pieces for the container.
    mutating func owe(_ pieces: [ObjectName: WallTime?]) { owed = pieces }

    /// Notes since when pieces are listed, and that some are kept no longer.
    mutating func note(listed since: [ObjectName: WallTime?], paid: Set<ObjectName>) {
        owed.merge(since) { $1 }
        owed = owed.filter { !paid.contains($0.key) }
    }

    /// Notes that there is no such object any more.
    mutating func forget(_ name: RecordID) {
        if wanted.removeValue(forKey: name) != nil { changed.insert(name) }
    }

    /// Notes that the file says the same.
    mutating func didKeep() { changed = [] }
}

/// Large values whose bytes are at hand, and the objects that are to show them.
struct ArrivedValues: Sendable {
    var names: Set<RecordID> = []
    var values: [LargeValue: AttributeValue] = [:]
}
