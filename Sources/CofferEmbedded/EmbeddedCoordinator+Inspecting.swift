package import Coffer
import CofferLinux
package import CofferModel
package import CofferStores

extension EmbeddedCoordinator {
    /// What the file at `path` proves to be; nothing of it or beside it changes.
    ///
    /// `model` is used if the file keeps no model, or instead of the one that it keeps.
    /// - Throws: `.refused` if there is no such file, or it is not a store of any kind.
    package static func inspect(
        path: String, model: ManagedObjectModel? = nil,
        configuration: String = ManagedObjectModel.defaultConfiguration
    ) throws(CofferError) -> StoreInspection {
        try translating { () throws(StoreError) in
            let (folder, name) = try place(path)
            return try StoreInspector.inspect(name, in: folder, model: model, configuration: configuration)
        }
    }

    /// Whether there is a file at `path` that begins as those of SQLite do; this process must not have it
    /// open as a store, whose locks would go.
    package static func isDatabase(path: String) -> Bool {
        do {
            let (folder, name) = try place(path)
            guard try folder.facts(of: name)?.kind == .file else { return false }
            return try folder.openFile(name).read(upTo: 16, at: 0) == Array("SQLite format 3\0".utf8)
        } catch {
            return false  // Reading it as a file of another kind then fails with the reason.
        }
    }
}
