/// What a carrier tells of a container, which may be missed.
package enum CarrierHint: Hashable, Sendable {
    /// These objects came, went or were written, and not by the carrier that tells it.
    case objects(Set<ObjectName>)
    /// Something happened.
    case anything

    /// What two of them tell.
    func joined(with other: CarrierHint) -> CarrierHint {
        switch (self, other) {
        case (.objects(let names), .objects(let others)): .objects(names.union(others))
        case (.anything, _), (_, .anything): .anything
        }
    }
}
