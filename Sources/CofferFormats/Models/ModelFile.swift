package import CofferModel
import FoundationEssentials

/// One version of a model, from a bundle or a file.
package struct ModelVersion: Sendable, Hashable {
    /// The name of its file or folder, without the ending.
    package let name: String
    /// Whether it is the version that the bundle names as current; a version that stands alone is.
    package let isCurrent: Bool
    /// The model.
    package let model: ManagedObjectModel
}

/// Reads and writes Xcode's model files: `.xcdatamodeld` bundles of versions, `.xcdatamodel` folders, and the
/// `contents` in them.
///
/// All that a definition has a place for is read. Passed over are r-tree indexes, and elements that are not
/// known, of which `warnings` tell; the user info of properties and what else is for code only stand in a
/// `ModelSource`.
package enum ModelFile {
    /// The model at `path`: a bundle's current version, a version's folder, or a file in XML.
    ///
    /// - Throws: `FormatError`: `.malformed` with line and element where the text is at fault,
    ///   `.inconsistentModel` where the definitions do not fit each other, `.unsupported` for binary models
    ///   of Xcode 3.
    package static func read(path: String) throws(FormatError) -> ManagedObjectModel {
        try readVersion(currentVersionPath(path))
    }

    /// The model at `path` as `read(path:)` gives it, and what its file says for generated code.
    package static func source(path: String) throws(FormatError) -> ModelSource {
        let (bytes, file) = try contents(ofVersion: currentVersionPath(path))
        let root = try document(bytes, file: file)
        let reader = ModelReader(file: file)
        return ModelSource(
            fileName: fileName(path), model: try reader.model(from: root),
            notes: try reader.codeNotes(from: root))
    }

    /// What the file of the model at `path` says that has no effect, as of a name that is mistyped.
    ///
    /// What Xcode writes is all known, be it that a definition has no place for it.
    package static func warnings(path: String) throws(FormatError) -> [ModelWarning] {
        let (bytes, file) = try contents(ofVersion: currentVersionPath(path))
        return try warnings(bytes, file: file)
    }

    /// The warnings for the bytes of a `contents` file, which they call `file`.
    package static func warnings(_ bytes: [UInt8], file: String) throws(FormatError) -> [ModelWarning] {
        let root = try document(bytes, file: file)
        let reader = ModelReader(file: file)
        // What makes the model one that cannot be read is for those who read it.
        _ = try? reader.model(from: root)
        return (ModelWarnings.of(root, file: file) + reader.notices.warnings)
            .sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
    }

    /// All versions of the model at `path`, in the order of their names, `Model 2` before `Model 10`.
    ///
    /// None is current where there are several and the bundle names none.
    package static func versions(path: String) throws(FormatError) -> [ModelVersion] {
        guard isBundle(path) else {
            let file = path.split(separator: "/").last.map { String($0) } ?? path
            let name =
                file.hasSuffix(".\(versionEnding)") ? String(file.dropLast(versionEnding.count + 1)) : file
            return [ModelVersion(name: name, isCurrent: true, model: try readVersion(path))]
        }
        let names = try versionNames(path)
        let current = try currentName(path, names)
        var versions: [ModelVersion] = []
        for name in names {
            let model = try readVersion("\(path)/\(name).\(versionEnding)")
            versions.append(ModelVersion(name: name, isCurrent: name == current, model: model))
        }
        return versions
    }

    /// The model in the bytes of a `contents` file, which errors call `file`.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> ManagedObjectModel {
        try ModelReader(file: file).model(from: document(bytes, file: file))
    }

    /// The `contents` of a model, as Xcode writes them.
    ///
    /// Defaults of binary and transformable attributes, and version identifiers but the first, have no place
    /// in the format.
    package static func xml(of model: ManagedObjectModel) -> String {
        ModelWriter.text(of: model)
    }
}

extension ModelFile {
    private static let versionEnding = "xcdatamodel"

    /// What a model at `path` is called: the `contents` of a version as the version.
    private static func fileName(_ path: String) -> String {
        let url = URL(filePath: path).standardized
        let folder = url.deletingLastPathComponent()
        return url.lastPathComponent == "contents" && folder.pathExtension == versionEnding
            ? folder.lastPathComponent : url.lastPathComponent
    }

    private static func isBundle(_ path: String) -> Bool {
        isDirectory(path) && !FileManager.default.fileExists(atPath: "\(path)/contents")
            && !FileManager.default.fileExists(atPath: "\(path)/elements")
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }

    private static func document(_ bytes: [UInt8], file: String) throws(FormatError) -> XMLElement {
        guard !BinaryPropertyListReader.recognises(bytes) else {
            throw .unsupported(path: file, reason: "it is a binary model; save it in a newer Xcode first")
        }
        return try XMLDocumentReader.read(bytes, file: file)
    }

    private static func readVersion(_ path: String) throws(FormatError) -> ManagedObjectModel {
        let (bytes, file) = try contents(ofVersion: path)
        return try read(bytes, file: file)
    }

    /// The bytes of a version, and the file that they are from.
    private static func contents(ofVersion path: String) throws(FormatError) -> (bytes: [UInt8], file: String)
    {
        guard isDirectory(path) else { return (try bytes(path), path) }
        let contents = "\(path)/contents"
        if !FileManager.default.fileExists(atPath: contents),
            FileManager.default.fileExists(atPath: "\(path)/elements")
        {
            throw .unsupported(path: path, reason: "it is a binary model; save it in a newer Xcode first")
        }
        return (try bytes(contents), contents)
    }

    /// A bundle's current version; any other path is one itself.
    private static func currentVersionPath(_ path: String) throws(FormatError) -> String {
        guard isBundle(path) else { return path }
        let names = try versionNames(path)
        guard let current = try currentName(path, names) else {
            throw .unreadable(
                path: path, reason: "it does not say which of its \(names.count) versions is current")
        }
        return "\(path)/\(current).\(versionEnding)"
    }

    /// The names of a bundle's versions, in order.
    private static func versionNames(_ path: String) throws(FormatError) -> [String] {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .unreadable(path: path, reason: "the folder cannot be listed")
        }
        let names = files.filter { $0.hasSuffix(".\(versionEnding)") }
            .map { String($0.dropLast(versionEnding.count + 1)) }
        guard !names.isEmpty else { throw .unreadable(path: path, reason: "there is no model in it") }
        guard names.count <= Limits.modelVersions else {
            throw .unsupported(path: path, reason: "it has more than \(Limits.modelVersions) versions")
        }
        return names.sorted { versionOrder($0) < versionOrder($1) }
    }

    /// A name without the number at its end, that number, and the whole name.
    private static func versionOrder(_ name: String) -> (String, Int, String) {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
        let stem = name.dropLast(digits.count).reversed().drop { $0 == " " }.reversed()
        return (String(stem), Int(String(digits)) ?? 0, name)
    }

    /// The version that `.xccurrentversion` names, or the only one there is.
    private static func currentName(_ path: String, _ names: [String]) throws(FormatError) -> String? {
        let only = names.count == 1 ? names.first : nil
        let file = "\(path)/.xccurrentversion"
        guard FileManager.default.fileExists(atPath: file) else { return only }
        let values = try XMLPropertyListReader.read(bytes(file), file: file).dictionary
        guard let entry = values?["_XCCurrentVersionName"]?.string else { return only }
        let name =
            entry.hasSuffix(".\(versionEnding)") ? String(entry.dropLast(versionEnding.count + 1)) : entry
        guard names.contains(name) else {
            throw .unreadable(path: file, reason: "the current version '\(entry)' does not exist")
        }
        return name
    }

    private static func bytes(_ path: String) throws(FormatError) -> [UInt8] {
        // A link to a device is not a file either.
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let kind: FileAttributeType?
        let size: UInt64?
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            kind = attributes[.type] as? FileAttributeType
            size = attributes[.size] as? UInt64
        } catch {
            throw .unreadable(path: path, reason: "there is no such file, or no permission to see it")
        }
        guard kind == .typeRegular else {
            throw .unreadable(path: path, reason: "it is not a plain file")
        }
        guard size ?? 0 <= UInt64(Limits.xmlDocument) else {
            throw .unreadable(path: path, reason: "it is larger than \(Limits.xmlDocument) bytes")
        }
        guard let data = FileManager.default.contents(atPath: target) else {
            throw .unreadable(path: path, reason: "there is no permission to read it")
        }
        return Array(data)
    }
}
