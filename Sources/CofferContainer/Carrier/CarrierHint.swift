/// What a carrier tells of a container, which may be missed.
package enum CarrierHint: Hashable, Sendable {
    /// These objects came, went or were written, and not by the carrier that tells it.
    case objects(Set<ObjectName>)
    /// Something happened.
    case anything

    /// How many names are gathered; of more all is looked at anyway.
    private static let nameCount = 64

    /// What two of them tell.
    func joined(with other: CarrierHint) -> CarrierHint {
        guard case .objects(let names) = self, case .objects(let others) = other,
            names.count + others.count <= Self.nameCount
        else { return .anything }
        return .objects(names.union(others))
    }
}
