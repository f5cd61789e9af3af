import Coffer
import CofferModel
import CofferWire
import FoundationEssentials

/// A transaction as `coffer watch` and `coffer history` print it.
enum TransactionRecord {
    static let columns = [
        "number", "time", "origin", "author", "application", "process", "context", "inserted", "updated",
        "deleted",
        "changes",
    ]

    static func values(_ transaction: TransactionMessage, _ model: ManagedObjectModel) -> [OutputValue] {
        let date = Date(timeIntervalSinceReferenceDate: transaction.timestamp)
        let counts = [ChangeKind.insert, .update, .delete].map { kind in
            transaction.changes.filter { $0.kind == kind }.reduce(0) { $0 + $1.primaryKeys.count }
        }
        return [
            .integer(transaction.number), .text(DateText.text(of: date)), .text("\(transaction.origin)"),
            .text(transaction.author), .text(transaction.application), .text(transaction.process),
            .text(transaction.contextName),
        ] + counts.map { .integer($0) }
    }

    /// What changed: as text for people, else group by group with the objects' keys.
    static func changes(_ transaction: TransactionMessage, _ model: ManagedObjectModel, brief: Bool)
        -> OutputValue
    {
        .list(
            transaction.changes.map { group in
                let entity =
                    model.entities.indices.contains(group.entity) ? model.entities[group.entity] : nil
                let name = entity?.name ?? "entity \(group.entity)"
                if brief { return .text("\(group.kind) \(group.primaryKeys.count) \(name)") }
                let properties = group.properties.compactMap {
                    entity?.properties.indices.contains($0) == true ? entity?.properties[$0].name : nil
                }
                return .record([
                    ("kind", .text("\(group.kind)")), ("entity", .text(name)),
                    ("objects", .texts(group.primaryKeys.map { "\(name)/p\($0)" })),
                    ("properties", .texts(properties)),
                ])
            })
    }
}
