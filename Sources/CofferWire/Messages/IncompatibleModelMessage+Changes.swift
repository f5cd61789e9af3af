extension IncompatibleModelMessage {
    /// Two models that do not fit; of the changes the first `Limits.modelChanges` are told.
    package init(differing: [String], missing: [String], unknown: [String], firstOf changes: [String]) {
        self.init(differing: differing, missing: missing, unknown: unknown)
        self.changes = Array(changes.prefix(Limits.modelChanges))
    }
}
