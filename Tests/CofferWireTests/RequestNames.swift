import CofferWire
import FoundationEssentials

extension RowsRequestMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "store": .number(store), "entity": .number(entity), "primary_keys": .numbers(primaryKeys),
            "without_holding": .flag(withoutHolding), "generation": .number(generation),
            "maximum_age": .number(maximumAge.map { $0 + 1 } ?? 0),
            "without_external_values": .flag(withoutExternalValues),
        ]
    }
}

extension RelationshipRequestMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "store": .number(store), "entity": .number(entity), "property": .number(property),
            "primary_keys": .numbers(primaryKeys), "generation": .number(generation),
            "with_rows": .flag(withRows), "without_external_values": .flag(withoutExternalValues),
        ]
    }
}

extension ReleaseRequestMessage: NamedFields {
    var named: [String: [Named]] {
        // A run begins if the key before is not the next lower one.
        let places = primaryKeys.indices.filter { place in
            place == 0 || primaryKeys[place - 1] == .max || primaryKeys[place - 1] + 1 != primaryKeys[place]
        }
        let counts = zip(places, places.dropFirst() + [primaryKeys.count]).map { $1 - $0 }
        return [
            "store": .number(store), "entity": .number(entity),
            "primary_keys": .numbers(places.map { primaryKeys[$0] }),
            "contexts": .number(UInt32(bitPattern: contexts)), "generation": .number(generation),
            "counts": places.count == primaryKeys.count ? [] : .numbers(counts),
        ]
    }
}

extension EmptyMessage: NamedFields {
    var named: [String: [Named]] { [:] }
}
