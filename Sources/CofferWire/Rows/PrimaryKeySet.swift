/// Primary keys of one table as bits, page by page: ten thousand adjacent keys take 1.3 KB, and no hashing
/// each.
///
/// Keys below 0 do not count.
package struct PrimaryKeySet: Sendable {
    fileprivate struct Page {
        /// Empty if none of its keys is there.
        var words: [UInt64] = []
        var count = 0
    }

    private static let keysPerPage: Int64 = 4_096
    /// Pages that are found by their places: those of the first million keys, which is most tables.
    private static let nearPages: Int64 = 256

    private var near: [Page] = []
    private var far: [Int64: Page] = [:]
    /// How many keys there are.
    package private(set) var count = 0
    /// How many pages of 512 bytes there are.
    package private(set) var pageCount = 0

    /// No keys.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { count == 0 }

    /// Adds keys, but none once there are more than `pageLimit` pages; `false` if that kept some out.
    @discardableResult
    package mutating func insert(_ keys: [Int64], pageLimit: Int = .max) -> Bool {
        let keys = keys.span
        return forEachPage(
            keyCount: keys.count, pageLimit: pageLimit, key: { keys[$0] }, { $0.insert(Self.place($1)) })
    }

    /// Takes keys out.
    package mutating func remove(_ keys: [Int64]) {
        let keys = keys.span
        _ = forEachPage(keyCount: keys.count, pageLimit: 0, key: { keys[$0] }, { $0.remove(Self.place($1)) })
    }

    /// Takes the keys of rows out, which have some.
    package mutating func remove(keysOf rows: PackedRows) {
        _ = forEachPage(
            keyCount: rows.rowCount, pageLimit: 0, key: { rows.primaryKey($0) }, { $0.remove(Self.place($1)) }
        )
    }

    /// Whether a key is one of them.
    package func contains(_ key: Int64) -> Bool {
        guard key >= 0, let page = page(key / Self.keysPerPage) else { return false }
        return page.contains(Self.place(key))
    }

    /// Whether one of some keys is one of them; neighbours cost one look for their page.
    package func containsAny(of keys: [Int64]) -> Bool {
        let keys = keys.span
        return containsAny(keys.count) { keys[$0] }
    }

    /// Whether the key of one of some rows, which have some, is one of them.
    package func containsAny(keysOf rows: PackedRows) -> Bool {
        containsAny(rows.rowCount) { rows.primaryKey($0) }
    }

    /// The keys, ascending.
    package var keys: [Int64] {
        var result: [Int64] = []
        result.reserveCapacity(count)
        for (number, page) in near.enumerated() {
            page.append(from: Int64(number) * Self.keysPerPage, to: &result)
        }
        for (number, page) in far.sorted(by: { $0.key < $1.key }) {
            page.append(from: number * Self.keysPerPage, to: &result)
        }
        return result
    }
}

extension PrimaryKeySet.Page {
    @inline(__always)
    mutating func insert(_ place: (word: Int, bit: UInt64)) {
        if words[place.word] & place.bit == 0 { count += 1 }
        words[place.word] |= place.bit
    }

    @inline(__always)
    mutating func remove(_ place: (word: Int, bit: UInt64)) {
        if words[place.word] & place.bit != 0 { count -= 1 }
        words[place.word] &= ~place.bit
    }

    @inline(__always)
    func contains(_ place: (word: Int, bit: UInt64)) -> Bool {
        !words.isEmpty && words[place.word] & place.bit != 0
    }

    func append(from first: Int64, to keys: inout [Int64]) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                keys.append(first + Int64(index) * 64 + Int64(rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
    }
}

extension PrimaryKeySet {
    private func page(_ number: Int64) -> Page? {
        if number >= Self.nearPages { return far[number] }
        return number < near.count ? near[Int(number)] : nil
    }

    @inline(__always)
    private func containsAny(_ keyCount: Int, _ key: (Int) -> Int64) -> Bool {
        var number: Int64 = -1
        var page: Page?
        for index in 0..<keyCount where key(index) >= 0 {
            if key(index) / Self.keysPerPage != number {
                number = key(index) / Self.keysPerPage
                page = self.page(number)
            }
            if let page, page.contains(Self.place(key(index))) { return true }
        }
        return false
    }

    /// Lends `body` the page of each key, which it finds once for a run of keys of one page.
    @inline(__always)
    private mutating func forEachPage(
        keyCount: Int, pageLimit: Int, key: (Int) -> Int64, _ body: (inout Page, Int64) -> Void
    ) -> Bool {
        var (start, isWhole) = (0, true)
        while start < keyCount {
            let first = key(start)
            let number = first / Self.keysPerPage
            var end = start + 1
            while end < keyCount, key(end) / Self.keysPerPage == number, (key(end) >= 0) == (first >= 0) {
                end += 1
            }
            if first >= 0,
                !change(number, pageLimit: pageLimit, { for index in start..<end { body(&$0, key(index)) } })
            {
                isWhole = false
            }
            start = end
        }
        return isWhole
    }

    @inline(__always)
    private mutating func change(_ number: Int64, pageLimit: Int, _ body: (inout Page) -> Void) -> Bool {
        if number >= Self.nearPages { return changeFar(number, pageLimit: pageLimit, body) }
        let place = Int(number)
        if place >= near.count || near[place].count == 0 {
            guard makeNear(place, pageLimit) else { return false }
        }
        let before = near[place].count
        body(&near[place])
        let after = near[place].count
        count += after - before
        if after == 0 {
            near[place] = Page()
            pageCount -= 1
        }
        return true
    }

    private mutating func makeNear(_ number: Int, _ pageLimit: Int) -> Bool {
        guard pageCount < pageLimit else { return false }
        while near.count <= number { near.append(Page()) }
        near[number].words = Self.noWords
        pageCount += 1
        return true
    }

    @inline(never)
    private mutating func changeFar(
        _ number: Int64, pageLimit: Int, _ body: (inout Page) -> Void
    ) -> Bool {
        var page = Page()
        if let index = far.index(forKey: number) {
            swap(&page, &far.values[index])
        } else if pageCount < pageLimit {
            page.words = Self.noWords
            pageCount += 1
        } else {
            return false
        }
        let before = page.count
        body(&page)
        count += page.count - before
        if page.count == 0 { pageCount -= 1 }
        far[number] = page.count == 0 ? nil : page
        return true
    }

    private static var noWords: [UInt64] { Array(repeating: 0, count: Int(keysPerPage / 64)) }

    @inline(__always)
    private static func place(_ key: Int64) -> (word: Int, bit: UInt64) {
        let row = Int(key % keysPerPage)
        return (row / 64, 1 << UInt64(row % 64))
    }
}
