internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// The files beside a store that hold large values of attributes which allow that, as Core Data makes them.
///
/// A value. In the row stands `02`, the name of the file, and `00`; a value that is in the row has `01` before it.
struct ExternalFiles: Sendable {
    private let folder: Folder
    private let storePath: String
    private let place: String

    /// Those of a store's file in `folder`; there may be none.
    init(of fileName: String, in folder: Folder) {
        self.folder = folder
        storePath = "\(folder.path)/\(fileName)"
        place = Self.supportFolder(of: fileName) + "/_EXTERNAL_DATA"
    }

    /// What the folder of a store's further files is called: the store's name without what follows its last dot.
    static func supportFolder(of fileName: String) -> String {
        let name = fileName.lastIndex(of: ".").map { fileName[..<$0] } ?? fileName[...]
        return ".\(name)_SUPPORT"
    }

    /// The content of a file.
    ///
    /// - Throws: `damaged` where the row names no file of ours, or one that is not there; `tooLarge` where no message carries it.
    func bytes(named name: String) throws(StoreError) -> [UInt8] {
        guard UUID(uuidString: name) != nil else {
            throw .damaged(
                path: storePath, detail: "a value is in the file '\(name)', which is no name of one")
        }
        do throws(LinuxError) {
            return try folder.read("\(place)/\(name)", limit: CofferWire.Limits.message)
        } catch .bufferFull(let limit) {
            throw .tooLarge("the file '\(name)' of a value has more than \(limit >> 20) MiB")
        } catch {
            guard error.isNotFound else { throw StoreError(error) }
            throw .damaged(path: "\(folder.path)/\(place)/\(name)", detail: "the file of a value is missing")
        }
    }

    /// Removes all of a store's files beside it.
    static func removeAll(of fileName: String, in folder: Folder) throws(LinuxError) {
        try folder.removeAll(supportFolder(of: fileName))
    }

    /// Whether some value of a store is in a file beside it.
    static func areUsed(by schema: SQLSchema, on connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        for case let entity? in schema.entities {
            for (property, column) in zip(schema.model.entities[entity.index].properties, entity.columns) {
                guard property.attribute?.allowsExternalStorage ?? false,
                    case .attribute(let name, _) = column
                else { continue }
                let statement = try connection.prepare(
                    "SELECT 1 FROM \(entity.table) WHERE hex(substr(\(name), 1, 1)) = '02' LIMIT 1")
                if try statement.step() { return true }
            }
        }
        return false
    }
}

/// How a value is kept of an attribute that may have it in a file beside the store.
enum ExternalData {
    /// Stands before data that is in the row itself.
    static let inlineMark: [UInt8] = [1]
    /// Stands before the name of a file, which a zero follows.
    private static let fileMark: UInt8 = 2

    /// The value that stands for `stored`; `file` gives the content of the file that it names.
    static func value<Failure>(
        _ stored: [UInt8], file: (String) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        switch stored.first {
        case inlineMark[0]: return Array(stored.dropFirst())
        case fileMark:
            return try file(String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
        default: return stored
        }
    }
}
