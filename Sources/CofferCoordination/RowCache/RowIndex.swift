/// Where the rows of one inheritance tree stand: for each primary key a block and a row in it.
///
/// A table of two arrays with linear probing, 16 bytes a place and at least a third of them free: filling it
/// with ten thousand rows takes a fraction of what reading them took. Keys from 1 on only.
struct RowIndex: Sendable {
    /// A row of a block.
    struct Place: Sendable, Equatable {
        var block: UInt32
        var row: UInt32
    }

    private static let empty: Int64 = 0
    private static let leastCapacity = 64

    private var keys: [Int64] = []
    private var places: [Place] = []
    private(set) var count = 0

    /// Bytes of the table.
    var byteCount: Int { keys.count * 16 }

    /// The place of a row.
    subscript(key: Int64) -> Place? {
        guard count > 0, key > 0 else { return nil }
        let slot = slot(of: key)
        return keys[slot] == key ? places[slot] : nil
    }

    /// Makes room for so many rows more.
    mutating func reserve(_ additional: Int) {
        let needed = (count + additional) * 3 / 2
        if needed < keys.count { return }
        var capacity = Self.leastCapacity
        while capacity <= needed { capacity *= 2 }
        resize(capacity)
    }

    /// Sets the place of a row; what was there before.
    @discardableResult
    mutating func set(_ key: Int64, _ place: Place) -> Place? {
        reserve(1)
        let slot = slot(of: key)
        defer { places[slot] = place }
        if keys[slot] == key { return places[slot] }
        keys[slot] = key
        count += 1
        return nil
    }

    /// Takes a row out; what was there.
    mutating func remove(_ key: Int64) -> Place? {
        guard count > 0, key > 0 else { return nil }
        var hole = slot(of: key)
        guard keys[hole] == key else { return nil }
        let removed = places[hole]
        count -= 1
        // Those behind move up, so that no search ends too early.
        let mask = keys.count - 1
        var next = (hole + 1) & mask
        while keys[next] != Self.empty {
            let wanted = home(of: keys[next])
            if (next &- wanted) & mask >= (next &- hole) & mask {
                keys[hole] = keys[next]
                places[hole] = places[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = Self.empty
        shrinkIfSparse()
        return removed
    }

    private mutating func shrinkIfSparse() {
        guard keys.count > Self.leastCapacity, count * 8 < keys.count else { return }
        if count == 0 {
            self = RowIndex()
        } else {
            resize(max(Self.leastCapacity, keys.count / 4))
        }
    }

    private mutating func resize(_ capacity: Int) {
        let (oldKeys, oldPlaces) = (keys, places)
        keys = Array(repeating: Self.empty, count: capacity)
        places = Array(repeating: Place(block: 0, row: 0), count: capacity)
        for (index, key) in oldKeys.enumerated() where key != Self.empty {
            let slot = slot(of: key)
            keys[slot] = key
            places[slot] = oldPlaces[index]
        }
    }

    /// Where the key is, or would be.
    private func slot(of key: Int64) -> Int {
        let mask = keys.count - 1
        var slot = home(of: key)
        while keys[slot] != key, keys[slot] != Self.empty { slot = (slot + 1) & mask }
        return slot
    }

    /// Eight neighbours stand next to each other; what lies further apart, anywhere.
    ///
    /// Not more than eight: taking a key out looks at all that stand behind it without a gap.
    private func home(of key: Int64) -> Int {
        let group = (UInt64(bitPattern: key) >> 3) &* 0x9E37_79B9_7F4A_7C15
        let bits = UInt64(keys.count.trailingZeroBitCount)
        return Int(truncatingIfNeeded: (group >> (67 - bits)) << 3) | Int(truncatingIfNeeded: key & 7)
    }
}
