import CofferFormats
import CofferModel
import FoundationEssentials

/// The versions of a model in a folder, with the mapping models between them.
enum StagedModels {
    /// Reads the versions of an `.xcdatamodeld` or `.momd` bundle, or of any folder that has versions in it:
    /// in the order of their names, `Model 2` before `Model 10`.
    ///
    /// A mapping model in the folder, or beside it, is of the stage whose versions its name says with `to`
    /// between them: `Model2_to_Model3.xcmappingmodel`.
    static func read(_ path: String, reading: ModelOptions) throws -> [MigrationRoute.Stage] {
        let versions = try ModelFile.versions(path: path)
        let mappings = try self.mappings(around: path)
        var stages: [MigrationRoute.Stage] = []
        for version in versions {
            let wanted = stages.last.map { plain("\($0.name)to\(version.name)") }
            let file = wanted.flatMap { name in mappings.first { $0.name == name }?.path }
            stages.append(
                MigrationRoute.Stage(
                    name: version.name, model: version.model,
                    mapping: try file.map { try reading.readMapping($0) }))
        }
        return stages
    }

    private static func mappings(around path: String) throws -> [(name: String, path: String)] {
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let parent = parts.isEmpty ? "." : parts.joined(separator: "/")
        var found: [(name: String, path: String)] = []
        for place in [folder, parent.isEmpty ? "/" : parent] {
            // Only the versions have to be readable.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            for name in names.sorted() where MappingModelFile.isNamed(name) {
                let stem = name.split(separator: ".").dropLast().joined(separator: ".")
                found.append((plain(stem), "\(place)/\(name)"))
            }
        }
        return found
    }

    /// A name without case, spaces and signs.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}
