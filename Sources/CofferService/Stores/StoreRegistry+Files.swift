import CofferLinux
import CofferStores

/// The files of stores that have several.
extension StoreRegistry {
    /// Makes the file that a store is served from where there is none, with the model of another one of its
    /// files; does nothing where it has none.
    func makeFile(of key: StoreKey, like folder: Folder?) throws(ServiceError) {
        guard let folder, try places.type(of: key) == nil else { return }
        let model: StoreModel
        do throws(StoreError) {
            var options = defaults
            options.mustExist = true
            model = try StoreFile.open(
                in: folder, fileName: places.fileName(of: key), model: nil,
                configuration: key.configuration, options: options
            ).model
        } catch {
            throw .store(error)
        }
        try makeFile(of: key, in: places.makeFolder(of: key), model)
    }

    /// Makes a file of a store where there is none.
    func makeFile(of key: StoreKey, in folder: Folder, _ model: StoreModel) throws(ServiceError) {
        _ = try openFile(of: key, in: folder, model)
    }

    /// One of a store's files that nobody is served from, made where there is none.
    func openFile(
        of key: StoreKey, in folder: Folder, _ model: StoreModel
    ) throws(ServiceError) -> StoreFile {
        do throws(StoreError) {
            return try StoreFile.open(
                in: folder, fileName: places.fileName(of: key), model: model,
                configuration: key.configuration, options: defaults)
        } catch {
            throw .store(error)
        }
    }
}
