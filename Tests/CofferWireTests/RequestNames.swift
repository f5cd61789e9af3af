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
        // Where the key before is not the one below, a run begins.
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

extension KeyReservation: NamedFields {
    var named: [String: [Named]] { ["entity": .number(entity), "count": .number(count)] }
}

extension ReserveKeysRequestMessage: NamedFields {
    var named: [String: [Named]] { ["store": .number(store), "reservations": .list(reservations)] }
}

extension ReserveKeysReplyMessage: NamedFields {
    var named: [String: [Named]] { ["first_keys": .numbers(firstKeys)] }
}

extension HistoryRequestMessage: NamedFields {
    var named: [String: [Named]] {
        let token = storeUUID.map {
            Fields(named: ["store_uuid": .bytes(Named.uuid($0)), "number": .number(after)])
        }
        return [
            "store": .number(store), "after": .list([token].compactMap(\.self)), "limit": .number(limit),
            "from_floor": .flag(fromFloor), "after_time": .number((afterTime ?? 0).bitPattern),
            "without_changes": .flag(withoutChanges),
        ]
    }
}

extension PinRequestMessage: NamedFields {
    var named: [String: [Named]] { ["store": .number(store)] }
}

extension PinReplyMessage: NamedFields {
    var named: [String: [Named]] { ["generation": .number(generation), "number": .number(number)] }
}

extension EmptyMessage: NamedFields {
    var named: [String: [Named]] { [:] }
}
