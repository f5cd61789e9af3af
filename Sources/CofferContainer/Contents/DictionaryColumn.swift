/// Values that are listed once, in order, and named by their place.
struct DictionaryColumn<Element: Hashable & Comparable> {
    /// The values, ascending.
    let elements: [Element]
    private let places: [Element: UInt32]

    /// The values that there are, each once.
    init(_ elements: Set<Element>) {
        self.elements = elements.sorted()
        var places: [Element: UInt32] = [:]
        places.reserveCapacity(elements.count)
        for (place, element) in self.elements.enumerated() { places[element] = UInt32(place) }
        self.places = places
    }

    /// Where a value stands.
    ///
    /// - Precondition: It was given to the initialiser.
    func place(of element: Element) -> UInt32 {
        guard let place = places[element] else { preconditionFailure("a value that was not collected") }
        return place
    }
}
