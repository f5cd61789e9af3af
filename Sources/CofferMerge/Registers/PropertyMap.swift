/// Values of a record's properties by name: a dictionary for the few that a record has.
///
/// One block of memory in the order of the names, half of what a `Dictionary` takes, and as quick to ask.
package struct PropertyMap<Value> {
    private var entries: [Element] = []

    /// A property's name and its value.
    package typealias Element = (key: String, value: Value)

    /// A map without properties.
    package init() {}

    /// The value of a property; `nil` if there is none.
    package subscript(property: String) -> Value? {
        get {
            let place = place(of: property)
            return has(property, at: place) ? entries[place].value : nil
        }
        // Taken out and put back, so that a set or list is changed where it stands, and not copied.
        _modify {
            var value = take(property)
            defer { put(value, at: property) }
            yield &value
        }
    }

    /// The value of a property, or what stands for it if there is none.
    package subscript(property: String, default standIn: @autoclosure () -> Value) -> Value {
        get { self[property] ?? standIn() }
        _modify {
            var value = take(property) ?? standIn()
            defer { put(value, at: property) }
            yield &value
        }
    }

    /// The names, in their order.
    package var keys: some Collection<String> { entries.lazy.map(\.key) }

    /// The values, in the order of the names.
    package var values: some Collection<Value> { entries.lazy.map(\.value) }

    private mutating func take(_ property: String) -> Value? {
        let place = place(of: property)
        return has(property, at: place) ? entries.remove(at: place).value : nil
    }

    private mutating func put(_ value: Value?, at property: String) {
        if let value { entries.insert((property, value), at: place(of: property)) }
    }

    /// Where a property stands, or would.
    private func place(of property: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < property { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func has(_ property: String, at place: Int) -> Bool {
        place < entries.count && entries[place].key == property
    }
}

extension PropertyMap {
    /// The properties for which something holds.
    package func filter(_ isIncluded: (Element) -> Bool) -> Self {
        var map = Self()
        map.entries = entries.filter(isIncluded)
        return map
    }

    /// Other values for all properties.
    package func mapValues<Other>(_ transform: (Value) -> Other) -> PropertyMap<Other> {
        compactMapValues { .some(transform($0)) }
    }

    /// Other values for the properties that are to have one.
    package func compactMapValues<Other>(_ transform: (Value) -> Other?) -> PropertyMap<Other> {
        var map = PropertyMap<Other>()
        map.entries = entries.compactMap { key, value in transform(value).map { (key, $0) } }
        return map
    }
}

extension PropertyMap: Collection {
    package var startIndex: Int { entries.startIndex }
    package var endIndex: Int { entries.endIndex }
    package func index(after place: Int) -> Int { place + 1 }
    package subscript(place: Int) -> Element { entries[place] }
}

extension PropertyMap: Sendable where Value: Sendable {}

extension PropertyMap: Equatable where Value: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.entries.elementsEqual(right.entries) { $0 == $1 }
    }
}

extension PropertyMap: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(entries.count)
        for (key, value) in entries {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

extension PropertyMap: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, Value)...) {
        for (key, value) in elements { self[key] = value }
    }
}
