import CofferFormats

/// How two models differ, by Core Data's version hashes of their entities.
struct ModelDifference {
    /// In both, with other hashes.
    let differing: [String]
    /// In the wanted model only.
    let missing: [String]
    /// In the existing model only.
    let unknown: [String]

    init(_ wanted: VersionHashes, from existing: VersionHashes) {
        differing = wanted.entities.keys.filter {
            existing.entities[$0] != nil && existing.entities[$0] != wanted.entities[$0]
        }.sorted()
        missing = wanted.entities.keys.filter { existing.entities[$0] == nil }.sorted()
        unknown = existing.entities.keys.filter { wanted.entities[$0] == nil }.sorted()
    }

    /// Whether they have the same entities with the same hashes.
    var isEmpty: Bool { differing.isEmpty && missing.isEmpty && unknown.isEmpty }
}
