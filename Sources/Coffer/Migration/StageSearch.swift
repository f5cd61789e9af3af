package import CofferModel
internal import CofferWire

/// Finds which version of a model a store has.
package struct StageSearch {
    /// A version of a model.
    package struct Version: Sendable {
        /// What people call it.
        package let name: String
        /// The model.
        package let model: ManagedObjectModel
        /// SHA-256 of the packed model.
        package let id: [UInt8]

        /// A version with its model's id.
        package init(name: String, model: ManagedObjectModel, id: [UInt8]) {
            (self.name, self.model, self.id) = (name, model, id)
        }
    }

    private let versions: [Version]

    /// A search among versions, the oldest first.
    package init(among versions: [Version]) { self.versions = versions }

    /// The place of a store's model among the versions: the very one, else the last that stores do not tell
    /// from it.
    ///
    /// - Parameters:
    ///   - model: The store's model.
    ///   - id: Its id.
    ///   - path: Which store, for people.
    /// - Returns: The place.
    /// - Throws: `.refused` with the reason `unstaged` where it is none of them.
    package func place(of model: ManagedObjectModel, id: [UInt8], path: String) throws(CofferError) -> Int {
        let exact = versions.lastIndex { $0.id == id }
        let found =
            exact
            ?? versions.lastIndex { version in
                // Models that cannot be compared differ.
                (try? ModelDifference(from: model, to: version.model))?.changes.isEmpty ?? false
            }
        if let found { return found }
        let names = versions.map { "'\($0.name)'" }.joined(separator: ", ")
        throw Self.unstaged(
            "The store's model is none of the versions \(names): add the one that it has to them, or "
                + "migrate it to one of them first.", path)
    }

    /// The error for a store at `path` that has none of the versions.
    package static func unstaged(_ text: String, _ path: String) -> CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "unstaged", text: text, place: path)
    }
}
