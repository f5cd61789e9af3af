package import CofferLinux
package import CofferModel

/// A document that is a folder called `NAME.coffer`, with a store, its log and the files of its values.
///
/// So a document is copied, moved and sent as one, with all that belongs to it. Nothing else about the store
/// is different.
package enum DocumentPackage {
    /// How the name of a package ends.
    private static let ending = ".coffer"
    /// The name of the store in it, without the end of its file's name.
    package static let storeName = "Store"

    /// Whether a path names a package, which need not exist.
    package static func isNamed(by path: String) -> Bool {
        let name = FileLocation(withoutSlash(path)).name
        return name.hasSuffix(ending) && name != ending
    }

    /// Where the file is that a path names: in a package that of its store.
    ///
    /// - Parameters:
    ///   - path: A file's path, or a package's.
    ///   - type: That of the store which is to be made; `nil` if none is made, nor a folder for it.
    /// - Returns: Its folder, and its name there.
    /// - Throws: What the system says of the folder.
    package static func place(
        _ path: String, making type: StoreType? = nil
    ) throws(LinuxError) -> (folder: Folder, name: String) {
        let place = FileLocation(withoutSlash(path))
        let parent = try Folder(at: place.folder)
        guard let folder = try folder(called: place.name, in: parent, isMaking: type != nil) else {
            return (parent, place.name)
        }
        for present in [StoreType.sqlite, .binary, .xml] {
            let name = storeName + present.fileSuffix
            if try folder.exists(name) { return (folder, name) }
        }
        return (folder, storeName + (type ?? .sqlite).fileSuffix)
    }

    /// The folder of the package called `name`; `nil` if that is a file's name, or nothing has it and none
    /// is made.
    package static func folder(
        called name: String, in folder: Folder, isMaking: Bool
    ) throws(LinuxError) -> Folder? {
        guard name.hasSuffix(ending), name != ending else { return nil }
        return switch try folder.facts(of: name)?.kind {
        case .folder: try folder.folder(name)
        case nil: isMaking ? try folder.makeFolders(name) : nil
        default: nil
        }
    }

    /// Removes the package at `path` if nothing is in it.
    package static func removeIfEmpty(_ path: String) {
        let place = FileLocation(withoutSlash(path))
        guard isNamed(by: path) else { return }
        // A folder with something in it stays, which is what the system refuses.
        _ = try? Folder(at: place.folder).removeFolder(place.name)
    }

    private static func withoutSlash(_ path: String) -> String {
        var end = path[...]
        while end.hasSuffix(ending + "/") { end = end.dropLast() }
        return String(end)
    }
}
