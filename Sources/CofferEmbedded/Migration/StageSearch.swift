package import Coffer
import CofferModel
package import CofferStores
import CofferWire

/// Finds which version of a model a store has.
package struct StageSearch {
    private let versions: [(name: String, model: StoreModel)]

    /// A search among versions, the oldest first.
    package init(versions: [(name: String, model: StoreModel)]) { self.versions = versions }

    /// The place of a store's model among the versions: the very one, else the last that stores do not tell
    /// from it.
    ///
    /// - Throws: `.refused` with the reason `unstaged` where it is none of them.
    package func place(of model: StoreModel, path: String) throws(CofferError) -> Int {
        let exact = versions.lastIndex { $0.model.id == model.id }
        let found =
            exact
            ?? versions.lastIndex { version in
                // Models that cannot be compared differ.
                (try? ModelDifference(from: model.model, to: version.model.model))?.changes.isEmpty ?? false
            }
        if let found { return found }
        let names = versions.map { "'\($0.name)'" }.joined(separator: ", ")
        throw Self.unstaged(
            "The store's model is none of the versions \(names): add the one that it has to them, or "
                + "migrate it to one of them first.", path)
    }

    /// The error for a store at `path` that has none of the versions.
    static func unstaged(_ text: String, _ path: String) -> CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "unstaged", text: text, place: path)
    }
}
