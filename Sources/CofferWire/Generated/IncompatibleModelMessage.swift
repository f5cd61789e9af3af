// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The file was made with another model.
///
/// `coffer.v1.IncompatibleModel`.
package struct IncompatibleModelMessage: Sendable, Equatable {
    /// Both have them, with other version hashes.
    package var differing: [String]
    /// The model has them, the file has not.
    package var missing: [String]
    /// The file has them, the model has not.
    package var unknown: [String]
    /// What differs in each, one change a text, for people; the first 200.
    package var changes: [String] = []

    /// A message from its fields.
    package init(differing: [String], missing: [String], unknown: [String]) {
        self.differing = differing
        self.missing = missing
        self.unknown = unknown
    }
}

extension IncompatibleModelMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__IncompatibleModel>) {
        unsafe coffer__v1__incompatible_model__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__IncompatibleModel>) throws(WireError) {
        let c = unsafe message.pointee
        differing = try unsafe texts(
            c.differing_entities, count: c.n_differing_entities,
            field: "coffer.v1.IncompatibleModel.differing_entities")
        missing = try unsafe texts(
            c.missing_entities, count: c.n_missing_entities,
            field: "coffer.v1.IncompatibleModel.missing_entities")
        unknown = try unsafe texts(
            c.unknown_entities, count: c.n_unknown_entities,
            field: "coffer.v1.IncompatibleModel.unknown_entities")
        changes = try unsafe texts(
            c.changes, count: c.n_changes, field: "coffer.v1.IncompatibleModel.changes",
            limit: Limits.modelChanges)
    }

    func fill(_ c: inout Coffer__V1__IncompatibleModel, in arena: inout PackArena) {
        unsafe (c.n_differing_entities, c.differing_entities) = arena.texts(differing)
        unsafe (c.n_missing_entities, c.missing_entities) = arena.texts(missing)
        unsafe (c.n_unknown_entities, c.unknown_entities) = arena.texts(unknown)
        unsafe (c.n_changes, c.changes) = arena.texts(changes)
    }
}
