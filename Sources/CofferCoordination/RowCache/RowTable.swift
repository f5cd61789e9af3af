import CofferWire

/// Rows by id: an index over blocks that share their memory.
///
/// A block stays while one of its rows is in the index, and is made again from what is left of it when that
/// is less than half.
struct RowTable: Sendable {
    private struct Slot: Sendable {
        var block: RowBlock
        /// Rows of it that are in the index.
        var liveCount = 0
        /// Whether one of its rows was asked for since the hand passed.
        var isUsed = false
    }

    private var slots: [Slot?] = []
    private var free: [UInt32] = []
    /// By the root of the inheritance tree.
    private var indexes: [Int: RowIndex] = [:]
    /// By entity: blocks of few rows, which cost more than their rows, until they are joined.
    private var small: [Int: [UInt32]] = [:]
    private var hand = 0
    private(set) var rowCount = 0
    private var blockBytes = 0

    /// About the bytes that all of it takes.
    var byteCount: Int { blockBytes + indexes.values.reduce(0) { $0 + $1.byteCount } }
}

extension RowTable {
    /// The row with a key.
    func row(_ key: Int64, tree: Int) -> RowLocation? {
        guard let place = indexes[tree]?[key], let slot = slots[Int(place.block)] else { return nil }
        return RowLocation(block: slot.block, row: Int(place.row))
    }

    /// Whether the row with a key is here.
    func has(_ key: Int64, tree: Int) -> Bool { indexes[tree]?[key] != nil }

    /// The rows with keys, as far as they are here, and marks that they are of use.
    mutating func rows(_ keys: [Int64], tree: Int) -> [RowLocation] {
        guard let index = indexes[tree] else { return [] }
        var found: [RowLocation] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            guard let place = index[key], let slot = slots[Int(place.block)] else { continue }
            if !slot.isUsed { slots[Int(place.block)]?.isUsed = true }
            found.append(RowLocation(block: slot.block, row: Int(place.row)))
        }
        return found
    }

    /// Whether all rows of a block are here, with their versions, as they came together before.
    func hasAll(of block: RowBlock) -> Bool {
        guard block.rowCount > 0,
            let place = indexes[block.shape.tree]?[block.rows.primaryKey(0)],
            let slot = slots[Int(place.block)]
        else { return false }
        return slot.liveCount == block.rowCount && block.hasSameRows(as: slot.block)
    }

    /// Takes in the rows of a block for which `isWanted` holds; rows that are here in the block's version
    /// stay as they are.
    mutating func insert(_ block: RowBlock, where isWanted: (Int) -> Bool) {
        let tree = block.shape.tree
        let number = add(block)
        var live = 0
        // Runs of rows of one block each, since neighbours mostly came together.
        var replaced: [(block: UInt32, count: Int)] = []
        // Taken out and put back, so that it is changed in its place.
        var index = indexes.removeValue(forKey: tree) ?? RowIndex()
        index.reserve(block.rowCount)
        for row in 0..<block.rowCount {
            let key = block.rows.primaryKey(row)
            if key <= 0 || !isWanted(row) { continue }
            if let old = index[key] {
                guard hasOtherVersion(old, than: block.rows.version(row)) else { continue }
                if replaced.last?.block == old.block {
                    replaced[replaced.count - 1].count += 1
                } else {
                    replaced.append((old.block, 1))
                }
            } else {
                rowCount += 1
            }
            index.set(key, RowIndex.Place(block: number, row: UInt32(row)))
            live += 1
        }
        indexes[tree] = index
        slots[Int(number)]?.liveCount = live
        for (old, count) in replaced { slots[Int(old)]?.liveCount -= count }
        for old in Set(replaced.map(\.block)) { freeOrPack(old) }
        freeOrPack(number)
        if live > 0, block.rowCount <= Limits.smallBlock { registerSmall(number, block) }
    }

    private func hasOtherVersion(_ place: RowIndex.Place, than version: UInt32) -> Bool {
        slots[Int(place.block)].map { $0.block.rows.version(Int(place.row)) != version } ?? true
    }

    /// Takes rows out.
    mutating func remove(_ keys: [Int64], tree: Int) {
        guard var index = indexes.removeValue(forKey: tree) else { return }
        var blocks: [(number: UInt32, count: Int)] = []
        for key in keys {
            guard let place = index.remove(key) else { continue }
            if blocks.last?.number == place.block {
                blocks[blocks.count - 1].count += 1
            } else {
                blocks.append((place.block, 1))
            }
        }
        indexes[tree] = index
        for (number, count) in blocks {
            rowCount -= count
            slots[Int(number)]?.liveCount -= count
        }
        for number in Set(blocks.map(\.number)) { freeOrPack(number) }
    }

    /// Takes everything out.
    mutating func removeAll() { self = RowTable() }

    /// Takes out whole blocks, those first that were not asked for of late, until at most so many bytes are
    /// left.
    mutating func evict(to byteCount: Int) {
        var rest = slots.count * 2
        while self.byteCount > byteCount, rowCount > 0, rest > 0 {
            rest -= 1
            hand = (hand + 1) % slots.count
            guard let slot = slots[hand] else { continue }
            if slot.isUsed {
                slots[hand]?.isUsed = false
            } else {
                dropAll(of: UInt32(hand))
            }
        }
    }

    /// All rows, in groups of one entity.
    func groups() -> [[RowLocation]] {
        slots.indices.compactMap { number in
            let rows = liveRows(UInt32(number))
            return rows.isEmpty ? nil : rows
        }
    }
}

extension RowTable {
    private mutating func add(_ block: RowBlock) -> UInt32 {
        blockBytes += block.byteCount
        if let number = free.popLast() {
            slots[Int(number)] = Slot(block: block)
            return number
        }
        slots.append(Slot(block: block))
        return UInt32(slots.count - 1)
    }

    private mutating func dropAll(of number: UInt32) {
        for place in liveRows(number) {
            _ = indexes[place.block.shape.tree]?.remove(place.block.rows.primaryKey(place.row))
            rowCount -= 1
        }
        slots[Int(number)]?.liveCount = 0
        freeOrPack(number)
    }

    /// Frees a block of which nothing is left, and packs one of which little is.
    private mutating func freeOrPack(_ number: UInt32) {
        guard let slot = slots[Int(number)] else { return }
        if slot.liveCount <= 0 {
            blockBytes -= slot.block.byteCount
            slots[Int(number)] = nil
            free.append(number)
        } else if slot.liveCount * 2 < slot.block.rowCount, slot.block.rowCount > Limits.smallBlock {
            join([number])
        }
    }

    private func liveRows(_ number: UInt32) -> [RowLocation] {
        guard let slot = slots[Int(number)], let index = indexes[slot.block.shape.tree] else { return [] }
        return (0..<slot.block.rowCount).compactMap { row in
            index[slot.block.rows.primaryKey(row)] == RowIndex.Place(block: number, row: UInt32(row))
                ? RowLocation(block: slot.block, row: row) : nil
        }
    }

    private mutating func registerSmall(_ number: UInt32, _ block: RowBlock) {
        let entity = block.shape.entity
        small[entity, default: []].append(number)
        guard small[entity, default: []].count >= Limits.smallBlocks else { return }
        // A number may have been given to a block of other rows meanwhile.
        let numbers = Set(small.removeValue(forKey: entity) ?? []).filter { number in
            slots[Int(number)].map {
                $0.block.shape.entity == entity && $0.block.rowCount <= Limits.smallBlock
            }
                ?? false
        }
        join(numbers.sorted())
    }

    /// Moves what is left of some blocks of one entity into a new one.
    private mutating func join(_ numbers: [UInt32]) {
        let rows = numbers.flatMap { liveRows($0) }
        guard let shape = rows.first?.block.shape else { return }
        let block: RowBlock
        // Without memory for a new one they stay where they are.
        do throws(WireError) { block = try shape.block(of: rows) } catch { return }
        let number = add(block)
        slots[Int(number)]?.liveCount = rows.count
        slots[Int(number)]?.isUsed = true
        for row in 0..<block.rowCount {
            indexes[shape.tree]?.set(
                block.rows.primaryKey(row), RowIndex.Place(block: number, row: UInt32(row)))
        }
        for old in numbers {
            guard let slot = slots[Int(old)] else { continue }
            blockBytes -= slot.block.byteCount
            slots[Int(old)] = nil
            free.append(old)
        }
    }
}
