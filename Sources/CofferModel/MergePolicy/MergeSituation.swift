/// How one property, or an object as a whole, compares in three places: what a client had read, what is there
/// now, what the client wants.
package enum MergeSituation: Sendable, CaseIterable {
    /// It has not changed since the client read it.
    case unchanged
    /// Others have changed it to what the client wants, too.
    case agreed
    /// Others have changed it to something else or deleted the object, or it is not known what it was.
    case contested

    /// Compares one value in its three places.
    ///
    /// - Parameters:
    ///   - old: What the client had read; `nil` if that is not known, which is never the same as anything.
    ///   - stored: What is there now; `nil` if that is not known, or the object is gone.
    ///   - wanted: What the client wants.
    package init<Value: Equatable>(old: Value?, stored: Value?, wanted: Value) {
        guard let stored else {
            self = .contested
            return
        }
        self = stored == wanted ? .agreed : stored == old ? .unchanged : .contested
    }

    /// Compares an object that has a version, or a value for which agreement does not matter: it is
    /// unchanged, or contested.
    package init(isUnchanged: Bool) { self = isUnchanged ? .unchanged : .contested }
}
