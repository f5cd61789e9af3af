import CofferFormats
import CofferModel
import CofferWire

/// What keeps clients with one model from a store that is open with another: entities that differ in Core
/// Data's version hashes, or in how their objects travel.
struct ModelIncompatibility {
    /// In both, with other hashes or other places.
    let differing: [String]
    /// In the wanted model only.
    let missing: [String]
    /// In the existing model only.
    let unknown: [String]
    /// What differs, for people; nothing if the entities are compatible.
    let changes: [String]

    init(of wanted: ManagedObjectModel, with existing: ManagedObjectModel) {
        let (new, old) = (VersionHashes(of: wanted).entities, VersionHashes(of: existing).entities)
        differing = wanted.entities.filter { entity in
            guard let other = existing.entity(named: entity.name) else { return false }
            return new[entity.name] != old[entity.name] || !entity.travels(as: other)
        }.map(\.name).sorted()
        missing = new.keys.filter { old[$0] == nil }.sorted()
        unknown = old.keys.filter { new[$0] == nil }.sorted()
        guard !(differing.isEmpty && missing.isEmpty && unknown.isEmpty) else {
            changes = []
            return
        }
        do throws(MigrationError) {
            changes = try ModelDifference(from: existing, to: wanted).changes.map(\.description)
        } catch {
            changes = [error.description]
        }
    }

    /// What the client is told.
    var message: IncompatibleModelMessage {
        IncompatibleModelMessage(differing: differing, missing: missing, unknown: unknown, firstOf: changes)
    }

    /// Whether both models have the same entities, in the same places, with the same hashes.
    var isEmpty: Bool { differing.isEmpty && missing.isEmpty && unknown.isEmpty }
}

extension EntityDescription {
    /// Whether messages name its objects and their properties by the same numbers, and give them values of
    /// the same types.
    ///
    /// Hashes leave out places, and transient properties, which have one.
    fileprivate func travels(as other: EntityDescription) -> Bool {
        index == other.index && properties.count == other.properties.count
            && zip(properties, other.properties).allSatisfy { $0.travels(as: $1) }
    }
}

extension PropertyDescription {
    fileprivate func travels(as other: PropertyDescription) -> Bool {
        guard name == other.name, isTransient == other.isTransient else { return false }
        switch (self, other) {
        case (.attribute(let own), .attribute(let other)): return own.type == other.type
        case (.relationship(let own), .relationship(let other)):
            return own.destinationIndex == other.destinationIndex && own.inverseIndex == other.inverseIndex
                && own.isToMany == other.isToMany
        case (.attribute, .relationship), (.relationship, .attribute): return false
        }
    }
}
