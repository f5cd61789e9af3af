import CofferLinux
import CofferModel
import CofferStores

/// A document that is a folder called `NAME.coffer`, with a store, its log and the files of its values.
///
/// So a document is copied, moved and sent as one, with all that belongs to it. Nothing else about the store
/// is different.
enum DocumentPackage {
    /// How the name of a package ends.
    private static let ending = ".coffer"
    /// The name of the store in it, without the end of its file's name.
    private static let storeName = "Store"

    /// Where the store is that belongs to the package called `name`.
    ///
    /// - Parameters:
    ///   - name: A name in `folder`.
    ///   - folder: Where the package is.
    ///   - type: That of the store which is to be made; `nil` where none is made, nor a folder for it.
    /// - Returns: Its folder and its file's name; `nil` where `name` is that of a file, or of nothing.
    /// - Throws: `io`, `noAccess` and the like where the folder cannot be read or made.
    static func store(
        of name: String, in folder: Folder, making type: StoreType?
    ) throws(StoreError) -> (Folder, String)? {
        guard name.hasSuffix(ending), name != ending else { return nil }
        let inner: Folder?
        do throws(LinuxError) {
            switch try folder.facts(of: name)?.kind {
            case .folder: inner = try folder.folder(name)
            case nil: inner = type == nil ? nil : try folder.makeFolders(name)
            default: inner = nil
            }
        } catch {
            throw StoreError(error)
        }
        guard let inner else { return nil }
        let present = try StoreMove.type(of: storeName, in: inner)
        return (inner, storeName + (present ?? type ?? .sqlite).fileSuffix)
    }

    /// Removes the package at `path` where nothing is in it.
    static func removeIfEmpty(_ path: String) {
        var end = path[...]
        while end.hasSuffix("/") { end = end.dropLast() }
        let name = end.split(separator: "/").last.map(String.init) ?? ""
        guard name.hasSuffix(ending), name != ending else { return }
        let parent = String(end.dropLast(name.utf8.count))
        // A folder with something in it stays, which is what the system refuses.
        _ = try? Folder(at: parent.isEmpty ? "." : parent).removeFolder(name)
    }
}
