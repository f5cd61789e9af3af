import CofferWire
import FoundationEssentials

extension ObjectReferenceMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "primary_key": .number(primaryKey),
            "temporary_id": .bytes(temporaryID.map { Named.uuid($0) } ?? []),
        ]
    }
}

extension SavedMessage: NamedFields {
    var named: [String: [Named]] {
        let places = merged.keys.sorted()
        return [
            "number": .number(number), "first_keys": .numbers(firstKeys), "refreshed": .list(refreshed),
            "also_deleted": .list(alsoDeleted), "merged_places": .numbers(places),
            "merged_keys": .numbers(places.compactMap { merged[$0] }), "batch_count": .number(batch.count),
            "batch_changes": .list(batch.changes), "derived": .list(derived), "touched": .list(touched),
        ]
    }
}

extension ConflictMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "primary_key": .number(primaryKey),
            "snapshot_version": .number(snapshotVersion), "stored_version": .number(storedVersion),
            "stored": .list(stored.map { [$0] } ?? []),
        ]
    }
}

extension ValidationFailureMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "object": .list([object]), "property": .text(property), "reason": .text(reason.rawValue),
            "text": .text(text),
        ]
    }
}

extension ConstraintConflictMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "object": .list([object]), "constraint": constraint.map { Named.bytes(Array($0.utf8)) },
            "existing": .list(existing.map { [$0] } ?? []), "stored": .list(stored.map { [$0] } ?? []),
        ]
    }
}

/// A message that has only these fields.
struct Fields: NamedFields {
    let named: [String: [Named]]
}

extension SaveReplyMessage: NamedFields {
    var named: [String: [Named]] {
        switch self {
        case .saved(let saved): ["saved": .list([saved])]
        case .conflicts(let faults): ["conflicts": .list([Fields(named: ["conflicts": .list(faults)])])]
        case .invalid(let faults): ["validation": .list([Fields(named: ["failures": .list(faults)])])]
        case .constraints(let faults): ["constraints": .list([Fields(named: ["conflicts": .list(faults)])])]
        }
    }
}

extension ChangeGroup: NamedFields {
    var named: [String: [Named]] {
        [
            "kind": .number(kind.rawValue), "entity": .number(entity), "primary_keys": .numbers(primaryKeys),
            "versions": .numbers(versions), "properties": .numbers(properties), "columns": .list(columns),
        ]
    }
}

extension TransactionMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "number": .number(number), "timestamp": .number(timestamp.bitPattern), "author": .text(author),
            "context_name": .text(contextName), "process": .text(process), "application": .text(application),
            "origin": .number(origin.rawValue), "changes": .list(changes), "successors": .list(successors),
        ]
    }
}

extension SuccessorGroup: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "primary_keys": .numbers(primaryKeys),
            "successors": .numbers(successors),
        ]
    }
}

extension PushMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "kind": .number(kind.rawValue), "store": .number(store), "number": .number(number),
            "previous": .number(previous), "transaction": .list(transaction.map { [$0] } ?? []),
            "removed": .flag(isRemoved), "unchanged": .flag(isUnchanged),
        ]
    }
}

extension HistoryReplyMessage: NamedFields {
    var named: [String: [Named]] {
        switch self {
        case .transactions(let transactions, let number, let hasMore):
            let page = Fields(named: [
                "transactions": .list(transactions), "number": .number(number), "has_more": .flag(hasMore),
            ])
            return ["transactions": .list([page])]
        case .expired(let floor, let current, let isOtherStore):
            let expiry = Fields(named: [
                "floor": .number(floor), "current": .number(current), "other_store": .flag(isOtherStore),
            ])
            return ["expired": .list([expiry])]
        }
    }
}
