package import Coffer
package import CofferModel
package import CofferStores

extension EmbeddedCoordinator {
    /// What the file at `path` says of itself, after changing values of applications.
    ///
    /// The store is not opened, and needs no model. Without changes nothing of it or beside it is written.
    /// - Parameters:
    ///   - path: The store's file, of any type.
    ///   - type: Of which type it has to be; `nil` for any.
    ///   - changes: Values by key, written durably and at once.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    /// - Returns: All that it says then.
    /// - Throws: `.refused` where there is no such store, somebody has it open for writing, a key is one of
    ///   the store's own, or Coffer did not make the file and nobody agreed to write into it.
    package static func fileMetadata(
        path: String, type: StoreType? = nil, setting changes: FileMetadata.Changes = FileMetadata.Changes(),
        adopts: Bool = false
    ) throws(CofferError) -> FileMetadata {
        try translating { () throws(StoreError) in
            let (folder, name) = try place(path)
            return try FileMetadata.set(changes.values, of: name, in: folder, type: type, adopts: adopts)
        }
    }
}
