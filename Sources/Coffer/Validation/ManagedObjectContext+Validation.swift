extension ManagedObjectContext {
    /// Judges all that is to be saved.
    ///
    /// The store checks the model's demands too; they are checked here if the class of an object has checks
    /// of its own, so that all is reported together, and in a child, whose parent does not ask.
    /// - Throws: `CofferError.validation` with everything that forbids the save.
    func validate() throws(CofferError) {
        guard validatesOnSave else { return }
        guard link != nil || fails(inserted, .insert) || fails(updated, .update) || fails(deleted, .delete)
        else { return }
        let failures = allFailures()
        if !failures.isEmpty { throw .validation(failures) }
    }

    /// Everything that forbids the save, as far as the context knows.
    func allFailures() -> [ValidationFailure] {
        let events: [(ValidationEvent, Set<ManagedObject>)] = [
            (.insert, inserted), (.update, updated), (.delete, deleted),
        ]
        var failures: [ValidationFailure] = []
        for (event, objects) in events {
            for object in objects.sorted(by: { $0.reference.key.magnitude < $1.reference.key.magnitude }) {
                failures += object.validationFailures(for: event)
            }
        }
        return failures
    }

    /// Whether the class of any of the objects has something against it.
    private func fails(_ objects: Set<ManagedObject>, _ event: ValidationEvent) -> Bool {
        objects.contains { !$0.customFailures(for: event).isEmpty }
    }
}
