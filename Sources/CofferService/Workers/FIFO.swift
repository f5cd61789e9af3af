/// A queue whose first element goes in constant time, on average.
struct FIFO<Element>: ExpressibleByArrayLiteral {
    private var storage: [Element] = []
    private var head = 0

    init(arrayLiteral elements: Element...) {
        storage = elements
    }

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : storage[head] }

    /// Element `index` from the front.
    subscript(index: Int) -> Element {
        get { storage[head + index] }
        set { storage[head + index] = newValue }
    }

    /// The first `count` elements.
    func prefix(_ count: Int) -> [Element] { Array(storage[head..<head + count]) }

    mutating func append(_ element: Element) { storage.append(element) }

    /// Takes the first element.
    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        // What is gone is kept until it is half of all: moving the rest costs no more than it did to come here.
        if head >= 32, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return first
    }
}

extension FIFO: Sendable where Element: Sendable {}
