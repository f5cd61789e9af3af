/// Which registers name a record, so that it takes no look through all.
struct StateIndex: Sendable, Hashable {
    /// The records whose cells name a record, whether or not it has come, by property.
    private(set) var namers: [RecordID: PropertyMap<Set<RecordID>>] = [:]
    private(set) var pairs: [RecordID: Set<PairKey>] = [:]
    private(set) var places: [RecordID: Set<PlaceKey>] = [:]
    private(set) var sames: [RecordID: Set<RecordID>] = [:]

    mutating func add(_ key: PairKey) {
        pairs[key.first, default: []].insert(key)
        pairs[key.second, default: []].insert(key)
    }

    mutating func add(_ key: PlaceKey) {
        places[key.owner, default: []].insert(key)
        places[key.member, default: []].insert(key)
    }

    mutating func add(_ key: SameKey) {
        sames[key.first, default: []].insert(key.second)
        sames[key.second, default: []].insert(key.first)
    }

    /// A cell names another record than before.
    mutating func move(
        _ property: String, of record: RecordID, from former: RecordID?, to named: RecordID?
    ) {
        if former == named { return }
        if let former {
            Self.remove(record, from: &namers[former, default: [:]][property])
            if namers[former]?.isEmpty == true { namers[former] = nil }
        }
        if let named { namers[named, default: [:]][property, default: []].insert(record) }
    }

    mutating func removePairs(of record: RecordID) -> Set<PairKey> {
        let removed = pairs.removeValue(forKey: record) ?? []
        for key in removed {
            Self.remove(key, from: &pairs[key.first == record ? key.second : key.first])
        }
        return removed
    }

    mutating func removePlaces(of record: RecordID) -> Set<PlaceKey> {
        let removed = places.removeValue(forKey: record) ?? []
        for key in removed {
            Self.remove(key, from: &places[key.owner == record ? key.member : key.owner])
        }
        return removed
    }

    /// No empty set stays, so that equal states are equal.
    private static func remove<Key>(_ key: Key, from keys: inout Set<Key>?) {
        keys?.remove(key)
        if keys?.isEmpty == true { keys = nil }
    }
}
