internal import CofferFormats
internal import CofferLinux

/// Where a copy of a store may be put.
enum CopyPlace {
    /// Throws if something of another store could be in the place, whatever is there now.
    ///
    /// - Throws: `unfitTarget`; `malformedRequest` for a name that no file can have.
    static func check(
        _ fileName: String, in folder: Folder, closedFolders: [Folder]
    ) throws(StoreError) {
        do throws(LinuxError) { try RelativePath.checkComponent(fileName) } catch {
            throw .malformedRequest("the copy's name: \(error)")
        }
        let path = folder.path(of: fileName)
        if let companion = CompanionName(fileName) {
            throw .unfitTarget(path: path, detail: companion.reason)
        }
        let isClosed = try translatingSystem { () throws(LinuxError) in
            for closed in closedFolders where try folder.isWithin(closed) { return true }
            return false
        }
        if isClosed {
            throw .unfitTarget(
                path: path, detail: "a service keeps its stores in that folder: choose another one")
        }
    }

    /// Throws if something has the name.
    ///
    /// - Throws: `alreadyExists`, and `unfitTarget` if it is not a file.
    static func requireFree(_ fileName: String, in folder: Folder) throws(StoreError) {
        let path = folder.path(of: fileName)
        switch try translatingSystem({ () throws(LinuxError) in try folder.facts(of: fileName) })?.kind {
        case nil: return
        case .file: throw .alreadyExists(path: path)
        case .folder:
            throw .unfitTarget(path: path, detail: "it is a folder: name a file in it")
        default: throw .unfitTarget(path: path, detail: "it is not a regular file")
        }
    }
}
