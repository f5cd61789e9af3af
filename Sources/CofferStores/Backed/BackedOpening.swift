internal import CofferLinux
internal import CofferModel

/// The steps of opening a store whose file, where it has one, is not SQLite's.
struct BackedOpening {
    let type: StoreType
    let folder: Folder
    let fileName: String
    let model: StoreModel?
    let configuration: String
    let options: StoreOptions

    private var path: String { folder.path(of: fileName) }

    func run() throws(StoreError) -> StoreFile {
        guard !options.mustExist, !options.isReadOnly else { throw .notFound(path: path) }
        guard let model else { throw .unknownModel(path: path) }
        return try open(StoreBacking(type, path: path), model: model)
    }

    /// Opens the database, which is made where it is not there.
    private func open(_ backing: StoreBacking, model: StoreModel) throws(StoreError) -> StoreFile {
        var options = options
        options.backing = backing
        options.byteLimit = min(options.byteLimit ?? .max, Limits.memoryBytes)
        return try StoreFile.openDatabase(
            in: backing.memory.folder, fileName: StoreBacking.databaseName, model: model,
            configuration: configuration, options: options)
    }
}
