/// Keeps which objects a migration made of which, by the places of entity mappings.
package protocol MigrationPairKeeper: AnyObject {
    /// Adds what mappings made, in order.
    func add(_ made: [MigratedPair]) throws(CofferError)

    /// The next pairs of a mapping behind a place, with their places, in the order in which they were made.
    func pairs(
        of mapping: Int, behind place: Int64, limit: Int
    ) throws(CofferError) -> [(place: Int64, pair: MigratedPair)]

    /// What was made of an object by a mapping, or by all, in the order in which it was made.
    func destinations(of source: MigratedObject, by mapping: Int?) throws(CofferError) -> [MigratedObject]

    /// What an object was made of by a mapping, or by all.
    func sources(of destination: MigratedObject, by mapping: Int?) throws(CofferError) -> [MigratedObject]
}

/// An object of one of the two stores of a migration.
package struct MigratedObject: Hashable, Sendable {
    /// Its entity, by index in the model.
    package let entity: Int
    /// Its key.
    package let key: Int64

    /// An object by entity and key.
    package init(entity: Int, key: Int64) { (self.entity, self.key) = (entity, key) }
}

/// An object, what was made of it, and by which mapping.
package struct MigratedPair: Hashable, Sendable {
    /// The place of the entity mapping.
    package let mapping: Int
    /// What there was.
    package let source: MigratedObject
    /// What was made of it.
    package let destination: MigratedObject

    /// A pair of a mapping.
    package init(mapping: Int, source: MigratedObject, destination: MigratedObject) {
        (self.mapping, self.source, self.destination) = (mapping, source, destination)
    }
}

/// Pairs in the memory of the process that makes objects for the service: about 150 bytes for each.
///
/// Confined.
final class MigrationPairsInMemory: MigrationPairKeeper {
    private var all: [MigratedPair] = []
    private var byMapping: [Int: [Int]] = [:]
    private var bySource: [MigratedObject: [Int]] = [:]
    private var byDestination: [MigratedObject: [Int]] = [:]

    func add(_ made: [MigratedPair]) {
        for pair in made {
            byMapping[pair.mapping, default: []].append(all.count)
            bySource[pair.source, default: []].append(all.count)
            byDestination[pair.destination, default: []].append(all.count)
            all.append(pair)
        }
    }

    func pairs(
        of mapping: Int, behind place: Int64, limit: Int
    ) -> [(place: Int64, pair: MigratedPair)] {
        // A place is one more than where the pair stands in its mapping's list.
        let places = byMapping[mapping] ?? []
        let first = Int(place)
        return places[first..<min(first + limit, places.count)].enumerated().map {
            (Int64(first + $0.offset + 1), all[$0.element])
        }
    }

    func destinations(of source: MigratedObject, by mapping: Int?) -> [MigratedObject] {
        pairs(bySource[source], by: mapping).map(\.destination)
    }

    func sources(of destination: MigratedObject, by mapping: Int?) -> [MigratedObject] {
        pairs(byDestination[destination], by: mapping).map(\.source)
    }

    private func pairs(_ places: [Int]?, by mapping: Int?) -> [MigratedPair] {
        (places ?? []).map { all[$0] }.filter { mapping == nil || $0.mapping == mapping }
    }
}
