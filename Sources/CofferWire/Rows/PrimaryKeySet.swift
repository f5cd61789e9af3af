/// Primary keys of one table as bits, page by page: ten thousand adjacent keys take 1.3 KB, and no hashing each.
///
/// Keys below 0 are none.
package struct PrimaryKeySet: Sendable {
    private struct Page {
        var words: [UInt64]
        var count = 0
    }

    private static let keysPerPage: Int64 = 4_096

    private var pages: [Int64: Page] = [:]
    /// How many keys there are.
    package private(set) var count = 0

    /// No keys.
    package init() {}

    /// How many pages of 512 bytes there are.
    package var pageCount: Int { pages.count }

    /// Whether there are none.
    package var isEmpty: Bool { count == 0 }

    /// Adds keys, but none once there are more than `pageLimit` pages; `false` where that kept some out.
    @discardableResult
    package mutating func insert(_ keys: [Int64], pageLimit: Int = .max) -> Bool {
        forEachPage(of: keys, pageLimit: pageLimit) { page, range in
            for key in keys[range] {
                let (word, bit) = Self.place(key)
                if page.words[word] & bit == 0 { page.count += 1 }
                page.words[word] |= bit
            }
        }
    }

    /// Takes keys out.
    package mutating func remove(_ keys: [Int64]) {
        _ = forEachPage(of: keys, pageLimit: 0) { page, range in
            for key in keys[range] {
                let (word, bit) = Self.place(key)
                if page.words[word] & bit != 0 { page.count -= 1 }
                page.words[word] &= ~bit
            }
        }
    }

    /// Whether a key is one of them.
    package func contains(_ key: Int64) -> Bool {
        guard key >= 0, let page = pages[key / Self.keysPerPage] else { return false }
        let (word, bit) = Self.place(key)
        return page.words[word] & bit != 0
    }

    /// Whether one of some keys is one of them; neighbours cost one look for their page.
    package func containsAny(of keys: [Int64]) -> Bool {
        var number: Int64 = -1
        var page: Page?
        for key in keys where key >= 0 {
            if key / Self.keysPerPage != number {
                number = key / Self.keysPerPage
                page = pages[number]
            }
            guard let page else { continue }
            let (word, bit) = Self.place(key)
            if page.words[word] & bit != 0 { return true }
        }
        return false
    }

    /// The keys, ascending.
    package var keys: [Int64] {
        var result: [Int64] = []
        result.reserveCapacity(count)
        for (number, page) in pages.sorted(by: { $0.key < $1.key }) {
            for (index, word) in page.words.enumerated() {
                var rest = word
                while rest != 0 {
                    let bit = Int64(rest.trailingZeroBitCount)
                    result.append(number * Self.keysPerPage + Int64(index) * 64 + bit)
                    rest &= rest - 1
                }
            }
        }
        return result
    }
}

extension PrimaryKeySet {
    /// Lends `body` the page of each run of keys of one page, out of the table, so that nothing is looked up or copied for each key.
    private mutating func forEachPage(
        of keys: [Int64], pageLimit: Int, _ body: (inout Page, Range<Int>) -> Void
    ) -> Bool {
        var (start, isWhole) = (0, true)
        while start < keys.count {
            let number = keys[start] / Self.keysPerPage
            let isKey = keys[start] >= 0
            var end = start + 1
            while end < keys.count, keys[end] / Self.keysPerPage == number, (keys[end] >= 0) == isKey {
                end += 1
            }
            if isKey, !change(number, pageLimit, { body(&$0, start..<end) }) { isWhole = false }
            start = end
        }
        return isWhole
    }

    private mutating func change(_ number: Int64, _ pageLimit: Int, _ body: (inout Page) -> Void) -> Bool {
        var page = Page(words: [])
        if let index = pages.index(forKey: number) {
            swap(&page, &pages.values[index])
        } else if pages.count < pageLimit {
            page.words = Array(repeating: 0, count: Int(Self.keysPerPage / 64))
        } else {
            return false
        }
        let before = page.count
        body(&page)
        count += page.count - before
        pages[number] = page.count == 0 ? nil : page
        return true
    }

    @inline(__always)
    private static func place(_ key: Int64) -> (word: Int, bit: UInt64) {
        let row = Int(key % keysPerPage)
        return (row / 64, 1 << UInt64(row % 64))
    }
}
