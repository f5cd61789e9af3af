package import Coffer
package import CofferModel
package import CofferStores

extension StoreDump {
    /// Opens the file at `path`, of which nothing changes, nor of what is beside it.
    ///
    /// `model` is used if the file keeps no model, or instead of the one that it keeps.
    /// - Throws: `.refused` if there is no such file, it is not a store, or its model is not known;
    ///   `.incompatibleModel` if the model does not fit; `.unknown` if the model has no such entity.
    package static func open(
        path: String, model: ManagedObjectModel? = nil,
        configuration: String = ManagedObjectModel.defaultConfiguration, entity: String? = nil,
        format: DumpFormat
    ) throws(CofferError) -> StoreDump {
        try translating { () throws(StoreError) in
            let (folder, name) = try EmbeddedCoordinator.place(path)
            return try StoreDump(
                name, in: folder, model: model, configuration: configuration, entity: entity, format: format)
        }
    }

    /// How many objects there are to be written.
    ///
    /// - Throws: `CofferError` if the file cannot be read.
    package func objectTotal() throws(CofferError) -> Int {
        try translating { () throws(StoreError) in try countObjects() }
    }

    /// Appends the next objects; says whether there may be more.
    ///
    /// - Throws: `CofferError` if the file cannot be read.
    package func writeNext(to bytes: inout [UInt8]) throws(CofferError) -> Bool {
        try translating { () throws(StoreError) in try write(to: &bytes) }
    }
}
