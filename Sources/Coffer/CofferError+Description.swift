package import CofferModel

extension CofferError: CustomStringConvertible {
    /// What is wrong and what to do, as sentences.
    ///
    /// Objects are named by entity and key; their values, which the cases carry, are never in it, so that it
    /// may be logged.
    public var description: String {
        let (sentence, items) = text()
        return items.isEmpty ? sentence : "\(sentence.dropLast()): \(Self.list(items, "; "))."
    }

    /// A sentence that says what is wrong, and the things that it is wrong with, without values.
    ///
    /// `outcome` says what became of a save, and `name` what objects are called.
    package func text(
        outcome: String = "nothing was written", naming name: (ManagedObjectID) -> String = { $0.shortName }
    ) -> (sentence: String, items: [String]) {
        (sentence(outcome), items(name))
    }

    private func sentence(_ outcome: String) -> String {
        switch self {
        case .conflicts: "Objects of this save were changed by another save meanwhile; \(outcome)."
        case .validation: "The model's rules forbid it; \(outcome)."
        case .constraints: "Objects must differ in these attributes; \(outcome)."
        case .incompatibleModel: "The store was made with another model; nothing was changed."
        case .endlessSave(let rounds):
            "Objects changed each other while being saved, \(rounds) times over."
        case .objectDeleted(let id): "\(id.shortName) was deleted."
        case .crossStoreRelationship(let from, let to, let relationship):
            "\(from.shortName).\(relationship) cannot lead to \(to.shortName), which is in another store."
        case .predicate(let error): error.description
        case .model(let error): error.description
        case .unknown(let kind, let name): "There is no \(kind) '\(name)'."
        case .wrongType(let entity, let property, let expected): "'\(entity).\(property)' takes \(expected)."
        case .historyExpired(let floor, let current):
            "That history is not there: it begins after \(floor), and ends with \(current). Read the whole store again, and go on from \(current)."
        case .generationExpired: "The pinned state of the store is not kept any more: pin the present one."
        case .refused(_, _, let text, let place):
            place.isEmpty || text.contains(place) ? text : "\(text) (\(place))"
        case .unavailable(let text), .unorderedResults(let text), .protocolViolation(let text): text
        }
    }

    private func items(_ name: (ManagedObjectID) -> String) -> [String] {
        switch self {
        case .conflicts(let conflicts): conflicts.map { Self.text(of: $0, name) }
        case .validation(let failures):
            failures.map { "\(name($0.objectID)) \($0.property): \($0.text)" }
        case .constraints(let conflicts): conflicts.map { Self.text(of: $0, name) }
        case .incompatibleModel(let differing, let missing, let unknown, let changes):
            [("entities differ", differing), ("not in the store", missing), ("not in the model", unknown)]
                .filter { !$0.1.isEmpty }.map { "\($0.0): \(Self.list($0.1, ", "))" } + changes
        default: []
        }
    }

    private static func text(of conflict: MergeConflict, _ name: (ManagedObjectID) -> String) -> String {
        let name = name(conflict.objectID)
        if conflict.stored == nil { return "\(name) was deleted" }
        let both = conflict.properties
        return both.isEmpty ? name : "\(name) (\(both.joined(separator: ", ")))"
    }

    private static func text(of conflict: ConstraintConflict, _ name: (ManagedObjectID) -> String) -> String {
        let names = conflict.objectIDs.map(name).joined(separator: " and ")
        let other = conflict.existingID.map { ", as \(name($0)) has it" } ?? ""
        return "\(names): \(conflict.constraint.joined(separator: ", "))\(other)"
    }

    /// The first of them, and how many more there are.
    private static func list(_ texts: [String], _ separator: String) -> String {
        let shown = texts.prefix(Limits.describedItems).joined(separator: separator)
        return texts.count > Limits.describedItems
            ? "\(shown)\(separator)and \(texts.count - Limits.describedItems) more" : shown
    }
}

extension ManagedObjectID {
    /// `Country/p12`, or `Country (new)`: what messages call an object.
    package var shortName: String {
        switch key {
        case .permanent(let key): "\(entity.name)/p\(key)"
        case .temporary: "\(entity.name) (new)"
        }
    }
}
