package import Coffer
package import CofferModel
package import CofferStores

extension EmbeddedCoordinator {
    /// What the file at `path` proves to be; nothing of it or beside it changes.
    ///
    /// `model` is asked where the file keeps none, or instead of the one that it keeps.
    /// - Throws: `.refused` where there is no such file, or it is not a store of any kind.
    package static func inspect(
        path: String, model: ManagedObjectModel? = nil,
        configuration: String = ManagedObjectModel.defaultConfiguration
    ) throws(CofferError) -> StoreInspection {
        try translating { () throws(StoreError) in
            let (folder, name) = try place(path)
            return try StoreInspector.inspect(name, in: folder, model: model, configuration: configuration)
        }
    }
}
