/// The compiled statements of one connection, by their text; the one unused longest gives way.
struct StatementCache {
    private struct Entry {
        var statement: SQLiteStatement
        var newer: Int
        var older: Int
    }

    private let capacity: Int
    private var places: [String: Int] = [:]
    private var entries: [Entry] = []
    private var newest = -1
    private var oldest = -1
    private(set) var hits = 0
    private(set) var misses = 0

    init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// The statement for `sql`, reset and without bindings, if no caller holds it.
    mutating func free(_ sql: String) -> SQLiteStatement? {
        guard let place = places[sql], isKnownUniquelyReferenced(&entries[place].statement) else {
            misses += 1
            return nil
        }
        hits += 1
        touch(place)
        let statement = entries[place].statement
        statement.reset()
        statement.clearBindings()
        return statement
    }

    /// Keeps `statement`, in place of an older one with the same text or of the one unused longest.
    mutating func insert(_ statement: SQLiteStatement) {
        guard capacity > 0 else { return }
        if let place = places[statement.sql] {
            entries[place].statement = statement
            touch(place)
        } else if entries.count < capacity {
            places[statement.sql] = entries.count
            entries.append(Entry(statement: statement, newer: -1, older: -1))
            link(entries.count - 1)
        } else {
            let place = oldest
            places[entries[place].statement.sql] = nil
            places[statement.sql] = place
            entries[place].statement = statement
            touch(place)
        }
    }

    mutating func removeAll() {
        places.removeAll()
        entries.removeAll()
        newest = -1
        oldest = -1
    }

    private mutating func touch(_ place: Int) {
        guard place != newest else { return }
        let (newer, older) = (entries[place].newer, entries[place].older)
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
        if newer >= 0 { entries[newer].older = older }
        link(place)
    }

    private mutating func link(_ place: Int) {
        entries[place].newer = -1
        entries[place].older = newest
        if newest >= 0 { entries[newest].newer = place } else { oldest = place }
        newest = place
    }
}
