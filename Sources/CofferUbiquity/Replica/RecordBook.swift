internal import CofferMerge

/// Which row shows which object: each object that is seen has one, with the key that it had here first.
///
/// Over tables it holds what changed, and looks up the rest.
struct RecordBook: Sendable {
    /// The row of an object.
    struct Place: Sendable, Hashable {
        let row: RowAddress
        /// Whether the row shows it; if not it is gone, and has its name again if it is brought back.
        var isShown = true
    }

    /// The object of a row.
    struct Named: Sendable, Hashable {
        let name: RecordID
        /// Whether the row shows it still.
        let isShown: Bool
    }

    private let tables: RegisterTables?
    /// The places that are here, or that are no longer in the tables.
    private var places: [RecordID: Place?] = [:]
    /// The objects of rows, likewise.
    private var names: [RowAddress: RecordID?] = [:]
    /// The objects whose row is another one than the file says.
    private(set) var changed: Set<RecordID> = []

    init(over tables: RegisterTables? = nil) { self.tables = tables }

    /// The row that shows an object, or that showed it before it went.
    func place(of name: RecordID) -> Place? {
        if let place = places[name] { return place }
        return tables?.place(of: name)
    }

    /// The object that a row shows, or showed before it went.
    private func kept(at row: RowAddress) -> Named? {
        guard let name = names[row] else { return tables?.named(at: row) }
        return name.flatMap { name in place(of: name).map { Named(name: name, isShown: $0.isShown) } }
    }

    /// The row that shows an object.
    func row(of name: RecordID) -> RowAddress? { place(of: name).flatMap { $0.isShown ? $0.row : nil } }

    /// The row that shows an object, or that showed it before it went.
    func keptRow(of name: RecordID) -> RowAddress? { place(of: name)?.row }

    /// The object that a row shows.
    func name(at row: RowAddress) -> RecordID? { kept(at: row).flatMap { $0.isShown ? $0.name : nil } }

    /// The object that is gone, and that a row showed.
    func goneName(at row: RowAddress) -> RecordID? { kept(at: row).flatMap { $0.isShown ? nil : $0.name } }

    /// All objects that have a row or had one; it costs what there is.
    var all: [RecordID: Place] {
        var all = tables?.places ?? [:]
        all = all.filter { places[$0.key] == nil }
        for case (let name, let place?) in places { all[name] = place }
        return all
    }

    /// The rows of all objects that are shown; it costs what there is.
    var shown: [RecordID: RowAddress] { all.filter(\.value.isShown).mapValues(\.row) }
}

extension RecordBook {
    /// Notes that a row shows an object, and no other one any more.
    mutating func bind(_ name: RecordID, to row: RowAddress) {
        if self.row(of: name) == row { return }
        release(name)
        if let former = kept(at: row) { release(former.name) }
        put(Place(row: row), of: name)
        changed.insert(name)
    }

    /// Notes that no row shows an object.
    mutating func unbind(_ name: RecordID) {
        if row(of: name) != nil { release(name) }
    }

    /// Notes that an object is gone, and its row with it.
    mutating func retire(_ name: RecordID) {
        guard let row = row(of: name) else { return }
        put(Place(row: row, isShown: false), of: name)
        changed.insert(name)
    }

    /// Notes which row showed an object that is gone, unless it shows another one.
    mutating func note(_ name: RecordID, goneFrom row: RowAddress) {
        if self.name(at: row) != nil { return }
        if let former = kept(at: row) { release(former.name) }
        put(Place(row: row, isShown: false), of: name)
    }

    private mutating func put(_ place: Place, of name: RecordID) {
        places.updateValue(place, forKey: name)
        names.updateValue(name, forKey: place.row)
    }

    /// Notes that no row is or was of an object.
    private mutating func release(_ name: RecordID) {
        guard let place = place(of: name) else { return }
        if tables == nil {
            places.removeValue(forKey: name)
            names.removeValue(forKey: place.row)
        } else {
            places.updateValue(nil, forKey: name)
            names.updateValue(nil, forKey: place.row)
        }
        changed.insert(name)
    }

    /// The book, for a caller that changes it and gives it back; this one is empty meanwhile.
    mutating func handOver() -> RecordBook {
        var book = RecordBook()
        swap(&self, &book)
        return book
    }

    /// Notes that the file says the same.
    mutating func didKeep() { changed = [] }
}
