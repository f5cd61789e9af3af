import CofferWire
import FoundationEssentials

/// What a message says, by the names that Protos gives its fields; what is zero or empty is left out.
indirect enum Named: Equatable {
    case number(UInt64)
    case bytes([UInt8])
    case message([String: [Named]])

    /// Fields as libprotobuf-c read them.
    static func fields(_ fields: [CField]) -> [String: [Named]] {
        let pairs = fields.map { field in
            let values: [Named] = field.values.map {
                switch $0 {
                case .number(let number): .number(number)
                case .bytes(let bytes): .bytes(bytes)
                case .message(let fields): .message(Self.fields(fields))
                }
            }
            return (field.name, values)
        }
        return Dictionary(pairs) { $1 }
    }

    static func uuid(_ uuid: UUID) -> [UInt8] { unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) } }
}

extension [Named] {
    static func numbers(_ numbers: [some BinaryInteger]) -> [Named] {
        numbers.map { Named.number(UInt64(truncatingIfNeeded: $0)) }
    }

    static func number(_ number: some BinaryInteger) -> [Named] { number == 0 ? [] : numbers([number]) }

    static func flag(_ flag: Bool) -> [Named] { flag ? [Named.number(1)] : [] }

    static func bytes(_ bytes: [UInt8]) -> [Named] { bytes.isEmpty ? [] : [Named.bytes(bytes)] }

    static func text(_ text: String) -> [Named] { bytes([UInt8](text.utf8)) }

    static func list(_ messages: [any NamedFields]) -> [Named] {
        messages.map { Named.message($0.named.filter { !$0.value.isEmpty }) }
    }
}

/// A message that tells its fields by name.
protocol NamedFields {
    var named: [String: [Named]] { get }
}

extension Column: NamedFields {
    var named: [String: [Named]] {
        let content: [String: [Named]] =
            switch values {
            case .integers(let numbers): ["kind": .number(1), "integers": .numbers(numbers)]
            case .bits(let bytes): ["kind": .number(2), "data": .bytes(bytes)]
            case .doubles(let numbers): ["kind": .number(3), "doubles": .numbers(numbers.map(\.bitPattern))]
            case .floats(let numbers): ["kind": .number(4), "floats": .numbers(numbers.map(\.bitPattern))]
            case .bytes(let runs):
                ["kind": .number(5), "data": .bytes(runs.data), "ends": .numbers(runs.ends)]
            case .uuids(let bytes): ["kind": .number(6), "data": .bytes(bytes)]
            case .decimals(let bytes): ["kind": .number(7), "data": .bytes(bytes)]
            case .references(let keys, let entities):
                ["kind": .number(8), "integers": .numbers(keys), "entities": .numbers(entities)]
            }
        return content.merging(["property": .number(property), "nulls": .bytes(nulls)]) { $1 }
    }
}

extension RowBatch: NamedFields {
    var named: [String: [Named]] {
        [
            "row_count": .number(rowCount), "entity": .number(entity), "entities": .numbers(entities),
            "primary_keys": .numbers(primaryKeys), "versions": .numbers(versions), "columns": .list(columns),
        ]
    }
}

extension RequestIDMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "client": .bytes(Named.uuid(client)), "sequence": .number(sequence),
            "acknowledged": .number(acknowledged), "is_retry": .flag(isRetry),
        ]
    }
}

extension InsertGroup: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "temporary_ids": .bytes(temporaryIDs.flatMap { Named.uuid($0) }),
            "columns": .list(columns), "first_key": .number(firstKey),
        ]
    }
}

extension UpdateGroup: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "primary_keys": .numbers(primaryKeys), "versions": .numbers(versions),
            "columns": .list(columns), "old_columns": .list(oldColumns), "other_columns": .list(otherColumns),
        ]
    }
}

extension DeleteGroup: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "primary_keys": .numbers(primaryKeys), "versions": .numbers(versions),
            "detached_rows": .numbers(detachedRows), "detached_properties": .numbers(detachedProperties),
        ]
    }
}

extension SetChange: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "property": .number(property), "owners": .numbers(owners),
            "targets": .numbers(targets), "removed": .bytes(removed),
        ]
    }
}

extension OrderChange: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .number(entity), "property": .number(property), "owners": .numbers(owners),
            "members": .numbers(members), "after": .numbers(after),
        ]
    }
}

extension BatchUpdateMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .text(entity), "excludes_subentities": .flag(!includesSubentities),
            "assignments": .list(assignments),
        ]
    }
}

extension AssignmentMessage: NamedFields {
    var named: [String: [Named]] { ["property": .text(property)] }
}

extension BatchDeleteMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "entity": .text(entity), "excludes_subentities": .flag(!includesSubentities),
            "primary_keys": .numbers(primaryKeys),
        ]
    }
}

extension SaveRequestMessage: NamedFields {
    var named: [String: [Named]] {
        [
            "store": .number(store), "request": .list([request]), "author": .text(author),
            "context_name": .text(contextName), "merge_policy": .number(mergePolicy.rawValue),
            "inserts": .list(inserts), "updates": .list(updates), "deletes": .list(deletes),
            "set_changes": .list(setChanges), "order_changes": .list(orderChanges),
            "constraint_policy": .number(constraintPolicy.map { $0.rawValue + 1 } ?? 0),
            "is_batch": .flag(batch != nil), "batch_updates": .list(batch?.updates ?? []),
            "batch_deletes": .list(batch?.deletes ?? []),
            "batch_result": .number(batch?.result.rawValue ?? 0), "is_background": .flag(isBackground),
        ]
    }
}
