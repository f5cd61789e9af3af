public import CofferModel

extension FetchedResultsController {
    /// All objects, in order; none before `performFetch()`.
    public var fetchedObjects: FetchedObjects<Object> { objects(rows.order[...]) }

    /// The sections, in order; without a section key path, one with everything.
    ///
    /// - Complexity: O(sections).
    public var sections: [FetchedSection<Object>] {
        guard plan != nil else { return [] }
        guard rows.hasSections else { return [section("", 0..<rows.order.count)] }
        return rows.runs.map { section(rows.sectionNames[Int($0.number)], $0.start..<$0.end) }
    }

    /// The index titles of the sections, each once, in order.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return sections.map(\.indexTitle).filter { seen.insert($0).inserted }
    }

    /// The number of the first section with an index title; `nil` if none has it.
    public func section(forIndexTitle title: String) -> Int? {
        sections.firstIndex { $0.indexTitle == title }
    }

    /// The object at a place.
    ///
    /// - Precondition: There is such a place.
    public func object(at index: SectionIndex) -> Object {
        guard rows.hasSections else {
            precondition(index.section == 0, "there is one section only")
            return fetchedObjects[index.item]
        }
        let run = rows.runs[index.section]
        precondition(
            index.item >= 0 && index.item < run.end - run.start,
            "section \(index.section) has no row \(index.item)")
        return fetchedObjects[run.start + index.item]
    }

    /// Where an object stands; `nil` if it is not in the results.
    ///
    /// - Complexity: O(log n).
    public func indexPath(for object: Object) -> SectionIndex? { indexPath(object.reference) }

    /// Where the object with an id stands; `nil` if it is not in the results.
    public func indexPath(for id: ManagedObjectID) -> SectionIndex? {
        context.reference(to: id).flatMap { indexPath($0) }
    }

    /// Section names and ids as they are now, by the names that events tell; if changes cannot be followed,
    /// those from before.
    ///
    /// - Complexity: O(n), in time and memory.
    public var snapshot: FetchedResultsSnapshot {
        FetchedResultsSnapshot(
            sections: sections.map { section in
                FetchedResultsSnapshot.Section(
                    name: section.name,
                    objectIDs: rows.order[section.range].map {
                        context.registry.id(rows.references[Int($0)])
                    })
            })
    }

    private func indexPath(_ reference: ObjectReference) -> SectionIndex? {
        guard let slot = rows.slot(reference), let place = rows.place(of: slot) else { return nil }
        return ResultRows.index(of: place, in: rows.runs, hasSections: rows.hasSections)
    }

    private func section(_ name: String, _ range: Range<Int>) -> FetchedSection<Object> {
        FetchedSection(
            name: name, indexTitle: name.first.map { String($0).uppercased() } ?? "", range: range,
            objects: objects(rows.order[range]))
    }

    private func objects(_ order: ArraySlice<Int32>) -> FetchedObjects<Object> {
        FetchedObjects(
            context: context, references: rows.references, order: order, unsaved: rows.unsaved, fate: fate)
    }
}
