/// A queue whose first element goes in constant time, on average.
struct FIFO<Element>: ExpressibleByArrayLiteral {
    // An element that was taken is let go at once: with it go the memory and the descriptors that it holds.
    private var storage: [Element?] = []
    private var head = 0

    init(arrayLiteral elements: Element...) {
        storage = elements.map(Optional.some)
    }

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : storage[head] }

    /// Element `index` from the front.
    subscript(index: Int) -> Element {
        get {
            guard let element = storage[head + index] else { preconditionFailure("the element was taken") }
            return element
        }
        set { storage[head + index] = newValue }
    }

    /// The first `count` elements.
    func prefix(_ count: Int) -> [Element] { storage[head..<head + count].compactMap { $0 } }

    mutating func append(_ element: Element) { storage.append(element) }

    /// Puts an element before the others; moves them if none was taken.
    mutating func prepend(_ element: Element) {
        if head == 0 {
            storage.insert(element, at: 0)
        } else {
            head -= 1
            storage[head] = element
        }
    }

    /// Takes the first element.
    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        storage[head] = nil
        head += 1
        if isEmpty {
            storage.removeAll(keepingCapacity: storage.count <= 64)
            head = 0
        }
        // Taken places are kept until they are half of all: moving the rest then costs no more than taking
        // did.
        if head >= 32, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return first
    }
}

extension FIFO: Sendable where Element: Sendable {}
