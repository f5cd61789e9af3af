import Coffer
import CofferLinux
import CofferModel
import CofferStores

extension DocumentPackage {
    /// Where the store is that belongs to the package called `name`, on its way to another type too.
    ///
    /// - Parameters:
    ///   - name: A name in `folder`.
    ///   - folder: Where the package is.
    ///   - type: The type of the store that is to be made; `nil` to make neither a store nor a folder for it.
    /// - Returns: Its folder and its file's name; `nil` if `name` is that of a file, or of nothing.
    /// - Throws: `io`, `noAccess` and the like if the folder cannot be read or made.
    static func store(
        of name: String, in folder: Folder, making type: StoreType?
    ) throws(StoreError) -> (Folder, String)? {
        let inner: Folder?
        do throws(LinuxError) {
            inner = try self.folder(called: name, in: folder, isMaking: type != nil)
        } catch {
            throw StoreError(error)
        }
        guard let inner else { return nil }
        let present = try StoreMove.type(of: storeName, in: inner)
        return (inner, storeName + (present ?? type ?? .sqlite).fileSuffix)
    }
}
