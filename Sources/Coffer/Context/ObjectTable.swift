/// Objects of one store's inheritance tree by their keys, none of them kept alive: an object leaves the table
/// before it is gone.
///
/// Made for keys that are mostly dense: eight neighbours lie side by side, so that what was fetched together
/// is found without a new place in memory for each, and nothing is hashed but a multiplication.
struct ObjectTable {
    @safe private struct Slot {
        // An object leaves its table before it is deallocated, on the thread that looks here: so the table
        // need not retain it.
        private unowned(unsafe) var reference: ManagedObject?

        init(_ object: ManagedObject?) { unsafe reference = object }

        var object: ManagedObject? { unsafe reference }
    }

    /// Marks an empty place: rows have keys from 1 upwards, and `left` is another number.
    ///
    /// A row that a file has under this key all the same is not found, and not entered.
    private static let empty = Int64.min
    /// What stands where an object left: a search goes on behind it.
    private static let left = Int64.min + 1
    private static let smallest = 16

    /// A power of two of them, at most three quarters in use; the slot of `keys[i]` is `slots[i]`.
    private var keys: [Int64] = []
    private var slots: [Slot] = []
    /// How many objects there are.
    private(set) var count = 0
    /// How many places are not empty: of objects, and of those that left.
    private var used = 0

    /// The object with a key.
    @inline(__always)
    subscript(key: Int64) -> ManagedObject? {
        let place = place(of: key)
        return place < 0 ? nil : slots[place].object
    }

    /// All objects, in no order.
    var objects: [ManagedObject] {
        var result: [ManagedObject] = []
        result.reserveCapacity(count)
        for place in keys.indices where keys[place] > Self.left {
            if let object = slots[place].object { result.append(object) }
        }
        return result
    }

    /// Enters an object, in the place of the one with that key if there is one.
    mutating func insert(_ object: ManagedObject, _ key: Int64) {
        if key <= Self.left { return }
        if 4 * (used + 1) > 3 * keys.count { resize(for: count + 1) }
        var place = home(key)
        while keys[place] != Self.empty {
            if keys[place] == key {
                slots[place] = Slot(object)
                return
            }
            place = (place + 1) & (keys.count - 1)
        }
        keys[place] = key
        slots[place] = Slot(object)
        count += 1
        used += 1
    }

    /// Takes an object out.
    mutating func remove(_ key: Int64) {
        let place = place(of: key)
        if place < 0 { return }
        count -= 1
        if count == 0, keys.count > Self.smallest {
            self = ObjectTable()
            return
        }
        slots[place] = Slot(nil)
        if count == 0 { return empty() }
        if keys[(place + 1) & (keys.count - 1)] == Self.empty {
            keys[place] = Self.empty
            used -= 1
        } else {
            keys[place] = Self.left
        }
    }

    /// Forgets where objects stood.
    ///
    /// So small a table is kept: a loop that fetches objects one by one needs it again and again.
    private mutating func empty() {
        for place in keys.indices { keys[place] = Self.empty }
        used = 0
    }

    /// Makes room for more objects.
    mutating func reserve(_ more: Int) {
        if 4 * (used + more) > 3 * keys.count { resize(for: count + more) }
    }
}

extension ObjectTable {
    @inline(__always)
    private func home(_ key: Int64) -> Int {
        let bits = keys.count.trailingZeroBitCount
        let group = (UInt64(bitPattern: key) >> 3) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: (group >> UInt64(67 - bits)) << 3) | Int(truncatingIfNeeded: key & 7)
    }

    @inline(__always)
    private func place(of key: Int64) -> Int {
        if count == 0 || key <= Self.left { return -1 }
        var place = home(key)
        while keys[place] != key {
            if keys[place] == Self.empty { return -1 }
            place = (place + 1) & (keys.count - 1)
        }
        return place
    }

    private mutating func resize(for count: Int) {
        var capacity = max(Self.smallest, keys.count)
        // If few places come free, it would soon be full again.
        if 8 * (used - self.count) < keys.count { capacity = 2 * keys.count }
        while 4 * count > 3 * capacity { capacity *= 2 }
        let (oldKeys, oldSlots) = (keys, slots)
        keys = Array(repeating: Self.empty, count: capacity)
        slots = Array(repeating: Slot(nil), count: capacity)
        (self.count, used) = (0, 0)
        // Slots move as they are: to look at each object costs more than all the rest.
        for place in oldKeys.indices where oldKeys[place] > Self.left {
            var free = home(oldKeys[place])
            while keys[free] != Self.empty { free = (free + 1) & (capacity - 1) }
            keys[free] = oldKeys[place]
            slots[free] = oldSlots[place]
            self.count += 1
            used += 1
        }
    }
}
