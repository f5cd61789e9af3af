extension ManagedObjectContext {
    /// The objects that a request finds and `filter` lets through: for conditions and orders that no store
    /// knows, and that are the same for stores of every type.
    ///
    /// What the request's own predicate says is asked of the store first, so leave to it what it can answer.
    /// The others are read and looked at here, 200 at a time or as many as `fetchBatchSize` says, and let go
    /// again. Limit and offset count what the filter lets through; without an order of its own the reading
    /// ends with the last object that they want. Objects that others delete meanwhile are left out.
    ///
    /// ```swift
    /// let palindromes = try context.fetch(Note.all.sorted(by: "title")) { note in
    ///     note.title.elementsEqual(note.title.reversed())
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: What the store is asked for.
    ///   - filter: Whether an object is wanted.
    ///   - areInIncreasingOrder: Whether the first of two objects comes before the second; of those that come
    ///     before neither, the order is the request's.
    /// - Returns: The objects, at most as many as the request's limit.
    /// - Throws: As `fetch(_:)` does.
    public func fetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, filter: (Object) -> Bool,
        sortedBy areInIncreasingOrder: ((Object, Object) -> Bool)? = nil
    ) throws(CofferError) -> [Object] {
        let (offset, limit) = request.window
        if limit == 0 { return [] }
        var everything = request
        everything.limit = nil
        everything.offset = 0
        let end = limit.map { offset.addingReportingOverflow($0) }.flatMap {
            $0.overflow ? nil : $0.partialValue
        }
        var found: [Object] = []
        for object in try fetchLazily(everything) {
            if areInIncreasingOrder == nil, found.count == end { break }
            do throws(CofferError) {
                try object.require(request.includesExternalValues ? .whole : .withoutExternal)
            } catch .objectDeleted {
                continue
            }
            if filter(object) { found.append(object) }
        }
        if let areInIncreasingOrder {
            // The standard library's sort keeps the order of equal ones, but does not promise to.
            let places = found.indices.sorted { first, second in
                if areInIncreasingOrder(found[first], found[second]) { return true }
                return !areInIncreasingOrder(found[second], found[first]) && first < second
            }
            found = places.map { found[$0] }
        }
        return Array(found.dropFirst(offset).prefix(limit ?? .max))
    }
}
