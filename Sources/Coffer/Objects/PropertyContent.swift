import CofferModel

/// What a property other than a to-many relationship holds.
enum PropertyContent: Equatable {
    /// An attribute's value; null also for a relationship that leads nowhere.
    case value(AttributeValue)
    /// The object at the other end of a to-one relationship.
    case reference(ObjectReference)

    static let null = PropertyContent.value(.null)

    /// The object at the other end.
    var reference: ObjectReference? {
        if case .reference(let reference) = self { reference } else { nil }
    }

    /// The attribute's value; null for a relationship.
    var value: AttributeValue {
        if case .value(let value) = self { value } else { .null }
    }
}

/// Contents of a few properties of one object, found by walking through them.
struct SparseContents {
    private(set) var entries: [(slot: Int, content: PropertyContent)] = []

    var isEmpty: Bool { entries.isEmpty }
    var slots: [Int] { entries.map(\.slot) }

    /// Whether something is noted for property `slot`.
    func contains(_ slot: Int) -> Bool { entries.contains { $0.slot == slot } }

    /// What is noted for property `slot`.
    subscript(slot: Int) -> PropertyContent? {
        get { entries.first { $0.slot == slot }?.content }
        set {
            let place = entries.firstIndex { $0.slot == slot }
            switch (place, newValue) {
            case (let place?, let content?): entries[place].content = content
            case (let place?, nil): entries.remove(at: place)
            case (nil, let content?): entries.append((slot, content))
            case (nil, nil): break
            }
        }
    }

    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    mutating func removeAll() { entries = [] }

    /// Notes all that others have.
    mutating func take(_ others: SparseContents) {
        if entries.isEmpty {
            self = others
        } else {
            for (slot, content) in others.entries { self[slot] = content }
        }
    }

    /// Forgets what is noted for other properties than those.
    mutating func keep(_ isKept: (Int) -> Bool) { entries.removeAll { !isKept($0.slot) } }

    /// Replaces references to objects by their new ones, after a save gave the objects permanent keys.
    mutating func rename(_ name: (ObjectReference) -> ObjectReference) {
        for place in entries.indices {
            if case .reference(let reference) = entries[place].content {
                entries[place].content = .reference(name(reference))
            }
        }
    }
}
