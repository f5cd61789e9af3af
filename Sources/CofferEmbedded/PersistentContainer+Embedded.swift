public import Coffer
import CofferCoordination
package import CofferLinux
public import CofferModel
import CofferStores

extension PersistentContainer {
    /// A container whose stores are files of a folder, opened in this process without the service.
    ///
    /// Each store is `<name>.sqlite` in `folder`. This process owns the files until the container goes: the service, or another process,
    /// is refused meanwhile, as this one is where they have them.
    ///
    /// - Throws: `.refused` where the folder cannot be opened.
    public static func embedded(
        name: String, model: ManagedObjectModel, folder: String, stores: [StoreDescription] = []
    ) throws(CofferError) -> PersistentContainer {
        let place: Folder
        do throws(LinuxError) {
            place = try Folder(at: folder)
        } catch {
            throw .refused(code: "NotFound", reason: "folder", text: "\(error)", place: folder)
        }
        let coordinator = EmbeddedCoordinator(model: model)
        return PersistentContainer(name: name, coordinator: coordinator, stores: stores) {
            (store) throws(CofferError) in
            try coordinator.addStore(store, in: place)
        }
    }
}

extension EmbeddedCoordinator {
    /// Opens a store, or makes one where there is none.
    package func addStore(_ description: StoreDescription, in folder: Folder) throws(CofferError) {
        try translating { () throws(StoreError) in
            var options = StoreOptions()
            options.isReadOnly = description.isReadOnly
            options.mustExist = description.mustExist
            options.pragmas = description.pragmas
            let file = try StoreFile.open(
                in: folder, fileName: description.name + ".sqlite", model: try StoreModel(model),
                configuration: description.configuration, options: options)
            add(try PersistentStore(file: file), name: description.name)
        }
    }
}
