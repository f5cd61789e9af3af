extension ManagedObjectContext {
    /// Judges all that is to be saved.
    ///
    /// What the model demands the store judges too; it is judged here where there is something that only the class of an object knows,
    /// so that all is reported together, and in a child, whose parent does not ask.
    /// - Throws: `CofferError.validation` with everything that forbids the save.
    func validate() throws(CofferError) {
        let events: [(ValidationEvent, Set<ManagedObject>)] = [
            (.insert, inserted), (.update, updated), (.delete, deleted),
        ]
        var isForbidden = link != nil
        if !isForbidden {
            isForbidden = events.contains { event, objects in
                objects.contains { !$0.customFailures(for: event).isEmpty }
            }
        }
        guard isForbidden else { return }
        var failures: [ValidationFailure] = []
        for (event, objects) in events {
            for object in objects.sorted(by: { abs($0.reference.key) < abs($1.reference.key) }) {
                failures += object.validationFailures(for: event)
            }
        }
        if !failures.isEmpty { throw .validation(failures) }
    }
}
