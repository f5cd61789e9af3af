import CofferFormats
import CofferLinux
import CofferModel
import FoundationEssentials

/// Model files that the tool writes.
enum ModelFolder {
    private static let ending = ".xcdatamodel"

    /// Writes the model as `<name>.xcdatamodel` into the folder at `path`, or as that folder if its path ends
    /// so; gives the path of what was written.
    ///
    /// What stands there is not replaced.
    @discardableResult
    static func write(_ model: ManagedObjectModel, named name: String, to path: String) throws -> String {
        let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
        let place = trimmed.hasSuffix(ending) ? trimmed : "\(trimmed)/\(name)\(ending)"
        let folder = try Folder.make(
            at: place.hasPrefix("/") ? place : "\(FileManager.default.currentDirectoryPath)/\(place)")
        if try folder.exists("contents") {
            throw ToolError(.cannotCreate, "'\(place)/contents' exists already: nothing was written.")
        }
        try folder.replace("contents", with: Array(ModelFile.xml(of: model).utf8))
        return place
    }
}
