import CofferWire

/// Random requests of a client that reads.
extension Dice {
    /// Keys of which some follow each other.
    mutating func keys() -> [Int64] {
        var keys: [Int64] = []
        for _ in 0..<below(6) {
            let start = flag() ? key() : .max - Int64(below(4))
            for step in 0..<Int64(1 + below(4)) where start <= .max - step { keys.append(start + step) }
        }
        return keys
    }

    mutating func rowsRequest() -> RowsRequestMessage {
        RowsRequestMessage(
            store: number32(), entity: Int(number32()), primaryKeys: keys(), withoutHolding: flag(),
            maximumAge: maybe { $0.number() / 2 }, generation: number(), withoutExternalValues: flag())
    }

    mutating func relationshipRequest() -> RelationshipRequestMessage {
        RelationshipRequestMessage(
            store: number32(), entity: Int(number32()), property: Int(number32()), primaryKeys: keys(),
            withRows: flag(), generation: number(), withoutExternalValues: flag())
    }

    mutating func release() -> ReleaseRequestMessage {
        ReleaseRequestMessage(
            store: number32(), entity: Int(number32()), primaryKeys: keys(),
            contexts: Int32(truncatingIfNeeded: key()), generation: number())
    }

    mutating func reservation() -> ReserveKeysRequestMessage {
        ReserveKeysRequestMessage(
            store: number32(),
            reservations: list { KeyReservation(entity: Int($0.number32()), count: Int($0.number32())) })
    }

    mutating func historyRequest() -> HistoryRequestMessage {
        let token = maybe { $0.uuid() }
        return HistoryRequestMessage(
            store: number32(), storeUUID: token, after: token == nil ? 0 : number(), limit: Int(number32()),
            fromFloor: flag(),
            afterTime: maybe { $0.double() + 0.5 }, withoutChanges: flag())
    }
}
