/// Which rows of a store a client holds, as bits by inheritance tree and primary key.
///
/// Ten thousand rows with adjacent keys take 1.3 KB.
struct Holdings: Sendable {
    private static let rowsPerPage: Int64 = 4_096

    private struct PageKey: Hashable {
        let tree: Int
        let page: Int64
    }

    private var pages: [PageKey: [UInt64]] = [:]
    /// Past the limit nothing is forgotten any more: every row counts as held.
    private(set) var isEverything = false

    /// Notes that a row is held.
    mutating func insert(_ primaryKey: Int64, tree: Int) {
        insert([primaryKey], tree: tree)
    }

    /// Notes that rows are held; neighbours with keys of one page cost one look for it.
    mutating func insert(_ primaryKeys: [Int64], tree: Int) {
        var index = 0
        while index < primaryKeys.count {
            if isEverything { return }
            guard primaryKeys[index] >= 0 else {
                index += 1
                continue
            }
            let key = PageKey(tree: tree, page: primaryKeys[index] / Self.rowsPerPage)
            if pages.count >= Limits.heldPages, pages[key] == nil {
                isEverything = true
                pages = [:]
                return
            }
            index = Self.fill(
                &pages[key, default: Array(repeating: 0, count: Int(Self.rowsPerPage / 64))], key.page,
                primaryKeys, from: index)
        }
    }

    /// Sets the bits of the keys from `start` on that belong to the page; the place of the first that does not.
    private static func fill(
        _ bits: inout [UInt64], _ page: Int64, _ primaryKeys: [Int64], from start: Int
    ) -> Int {
        let first = page * rowsPerPage
        var index = start
        while index < primaryKeys.count {
            let row = primaryKeys[index] &- first
            guard row >= 0, row < rowsPerPage else { break }
            bits[Int(row) / 64] |= 1 << UInt64(row % 64)
            index += 1
        }
        return index
    }

    /// Notes that a row is not held any more.
    mutating func remove(_ primaryKey: Int64, tree: Int) {
        if primaryKey < 0 { return }
        let (key, word, bit) = Self.place(primaryKey, tree)
        guard let index = pages.index(forKey: key) else { return }
        pages.values[index][word] &= ~bit
        if pages.values[index][word] == 0, pages.values[index].allSatisfy({ $0 == 0 }) {
            pages.remove(at: index)
        }
    }

    /// Whether a row is held.
    func contains(_ primaryKey: Int64, tree: Int) -> Bool {
        if isEverything { return true }
        if primaryKey < 0 || pages.isEmpty { return false }
        let (key, word, bit) = Self.place(primaryKey, tree)
        guard let page = pages[key] else { return false }
        return page[word] & bit != 0
    }

    /// Calls `body` with each row that is noted; with none where everything counts as held.
    func visit(_ body: (Int64, _ tree: Int) -> Void) {
        for (key, bits) in pages {
            for (index, word) in bits.enumerated() where word != 0 {
                var rest = word
                while rest != 0 {
                    let bit = rest.trailingZeroBitCount
                    body(key.page * Self.rowsPerPage + Int64(index * 64 + bit), key.tree)
                    rest &= rest &- 1
                }
            }
        }
    }

    private static func place(_ primaryKey: Int64, _ tree: Int) -> (PageKey, word: Int, bit: UInt64) {
        let row = Int(primaryKey % rowsPerPage)
        return (PageKey(tree: tree, page: primaryKey / rowsPerPage), row / 64, 1 << UInt64(row % 64))
    }
}
