internal import CofferFormats
internal import CofferModel

/// Tells whether a mapping model was made for just these two models, as far as it says so.
struct MappingHashes {
    private let source: [String: [UInt8]]
    private let destination: [String: [UInt8]]

    init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        self.source = VersionHashes(of: source).entities
        self.destination = VersionHashes(of: destination).entities
    }

    /// - Throws: `invalidMapping` for the first entity whose version is another one.
    func check(_ mapping: MappingModel) throws(MigrationError) {
        for entity in mapping.entities {
            let pairs = [
                (entity.source, entity.sourceHash, source, "the store's"),
                (entity.destination, entity.destinationHash, destination, "the new model's"),
            ]
            for (name, hash, hashes, owner) in pairs {
                guard let name, let hash, let found = hashes[name], found != hash else { continue }
                throw .invalidMapping(
                    mapping: entity.name, property: nil,
                    reason: "it was made for another version of '\(name)' than \(owner)")
            }
        }
    }
}
