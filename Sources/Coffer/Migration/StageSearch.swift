internal import CofferFormats
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
    ///   - model: The store's model, with its id; `nil` for a store that keeps none.
    ///   - hashes: The version hashes that the store has, by entity.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - path: Which store, for people.
    /// - Returns: The place.
    /// - Throws: `.refused` with the reason `unstaged` if it is not one of them.
    package func place(
        of model: (model: ManagedObjectModel, id: [UInt8])?, hashes: [String: [UInt8]],
        configuration: String, path: String
    ) throws(CofferError) -> Int {
        if let model, let found = place(of: model.model, id: model.id) { return found }
        // By these any store opens with a version of which it keeps nothing else.
        let hashed = versions.lastIndex { version in
            !hashes.isEmpty && VersionHashes.fit(hashes, version.model, configuration: configuration)
        }
        if let hashed { return hashed }
        let names = versions.map { "'\($0.name)'" }.joined(separator: ", ")
        throw Self.unstaged(
            "The store's model is not among the versions \(names): add the one that it has to them, or "
                + "migrate it to one of them first.", path)
    }

    private func place(of model: ManagedObjectModel, id: [UInt8]) -> Int? {
        if let exact = versions.lastIndex(where: { $0.id == id }) { return exact }
        return versions.lastIndex { version in
            // Models that cannot be compared differ.
            (try? ModelDifference(from: model, to: version.model))?.changes.isEmpty ?? false
        }
    }

    /// The error for a store at `path` that has none of the versions.
    package static func unstaged(_ text: String, _ path: String) -> CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "unstaged", text: text, place: path)
    }
}
