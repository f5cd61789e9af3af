import Coffer
import CofferStores

/// Pairs in a file that goes with them, so that memory does not grow with the objects.
///
/// Confined.
final class MigrationPairsOnDisk: MigrationPairKeeper {
    private let pairs: MigrationPairs

    init() throws(CofferError) {
        pairs = try translating { () throws(StoreError) in try MigrationPairs() }
    }

    func add(_ made: [MigratedPair]) throws(CofferError) {
        try translating { () throws(StoreError) in
            try pairs.add(
                made.map { ($0.mapping, .init($0.source), .init($0.destination)) })
        }
    }

    func pairs(
        of mapping: Int, behind place: Int64, limit: Int
    ) throws(CofferError) -> [(place: Int64, pair: MigratedPair)] {
        try translating { () throws(StoreError) in
            try pairs.pairs(of: mapping, behind: place, limit: limit).map {
                (
                    $0.place,
                    MigratedPair(
                        mapping: mapping, source: .init($0.source), destination: .init($0.destination))
                )
            }
        }
    }

    func destinations(of source: MigratedObject, by mapping: Int?) throws(CofferError) -> [MigratedObject] {
        try translating { () throws(StoreError) in
            try pairs.destinations(of: .init(source), by: mapping).map { MigratedObject($0) }
        }
    }

    func sources(of destination: MigratedObject, by mapping: Int?) throws(CofferError) -> [MigratedObject] {
        try translating { () throws(StoreError) in
            try pairs.sources(of: .init(destination), by: mapping).map { MigratedObject($0) }
        }
    }
}

extension MigrationPairs.Object {
    fileprivate init(_ object: MigratedObject) { self.init(entity: object.entity, key: object.key) }
}

extension MigratedObject {
    fileprivate init(_ object: MigrationPairs.Object) { self.init(entity: object.entity, key: object.key) }
}
