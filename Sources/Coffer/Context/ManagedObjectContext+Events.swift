extension ManagedObjectContext {
    /// Ends the present event: what changed since the last one becomes one step of undo.
    ///
    /// Called at the end of each `perform`, and by `fetch`, `save` and `undo`; inverses and delete rules are kept at once and do not
    /// wait for it.
    public func processPendingChanges() {}
}
