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

/// Reads and writes models: Xcode's `.xcdatamodeld` bundles of versions, `.xcdatamodel` folders and the
/// `contents` in them, and reads what its compiler makes of them, `.momd` and `.mom`, and the `elements` that
/// Xcode had before version 4.
///
/// All that a definition has a place for is read. Passed over are elements that are not known, of which
/// `warnings` tell; what is for code only stands in a `ModelSource`.
package enum ModelFile {
    /// The model at `path`: a bundle's current version, a version's folder, or a file in XML.
    ///
    /// - Throws: `FormatError`: `.malformed` with line and element if the text is at fault,
    ///   `.inconsistentModel` if the definitions do not fit each other, `.damagedPropertyList` if a compiled
    ///   model or one of Xcode 3 is at fault, `.unsupported` for what is not known in one of Xcode 3 and for
    ///   `.omo` files.
    package static func read(path: String) throws(FormatError) -> ManagedObjectModel {
        try readVersion(currentVersionPath(path))
    }

    /// The model at `path` as `read(path:)` gives it, and what its file says for generated code.
    package static func source(path: String) throws(FormatError) -> ModelSource {
        let (bytes, file) = try contents(ofVersion: currentVersionPath(path))
        if CompiledModel.recognises(bytes) {
            // It has classes, and nothing else that is for code alone.
            return ModelSource(fileName: fileName(path), model: try CompiledModel.read(bytes, file: file))
        }
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
        if CompiledModel.recognises(bytes) { return CompiledModel.warnings(bytes, file: file) }
        let root = try document(bytes, file: file)
        let reader = ModelReader(file: file)
        // Errors that make the model unreadable are told to callers that read it.
        _ = try? reader.model(from: root)
        return (ModelWarnings.of(root, file: file) + reader.notices.warnings)
            .sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
    }

    /// All versions of the model at `path`, in the order of their names, `Model 2` before `Model 10`.
    ///
    /// None is current if there are several and the bundle does not name one.
    package static func versions(path: String) throws(FormatError) -> [ModelVersion] {
        guard let bundle = ModelBundle(path: path) else {
            let file = path.split(separator: "/").last.map { String($0) } ?? path
            return [
                ModelVersion(
                    name: ModelBundle.versionName(ofFile: file), isCurrent: true,
                    model: try readVersion(path))
            ]
        }
        let names = try bundle.versionNames()
        let current = try bundle.currentName(among: names)
        var versions: [ModelVersion] = []
        for name in names {
            let model = try readVersion(bundle.path(of: name))
            versions.append(ModelVersion(name: name, isCurrent: name == current, model: model))
        }
        return versions
    }

    /// The model in the bytes of a `contents` file or of a compiled model, which errors call `file`.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> ManagedObjectModel {
        if CompiledModel.recognises(bytes) { return try CompiledModel.read(bytes, file: file) }
        return try ModelReader(file: file).model(from: document(bytes, file: file))
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
    /// What a model at `path` is called: the `contents` of a version as the version.
    private static func fileName(_ path: String) -> String {
        let url = URL(filePath: path).standardized
        let folder = url.deletingLastPathComponent()
        return url.lastPathComponent == "contents" && folder.pathExtension == ModelBundle.sourceEnding
            ? folder.lastPathComponent : url.lastPathComponent
    }

    private static func document(_ bytes: [UInt8], file: String) throws(FormatError) -> XMLElement {
        try XMLDocumentReader.read(bytes, file: file)
    }

    private static func readVersion(_ path: String) throws(FormatError) -> ManagedObjectModel {
        let (bytes, file) = try contents(ofVersion: path)
        return try read(bytes, file: file)
    }

    /// The bytes of a version, and the file that they are from.
    private static func contents(ofVersion path: String) throws(FormatError) -> (bytes: [UInt8], file: String)
    {
        guard ModelBundle.isDirectory(path) else { return (try bytes(path), path) }
        let contents = "\(path)/contents"
        let elements = "\(path)/elements"  // Of Xcode before 4.
        let isOld =
            !FileManager.default.fileExists(atPath: contents)
            && FileManager.default.fileExists(atPath: elements)
        let file = isOld ? elements : contents
        return (try bytes(file), file)
    }

    /// A bundle's current version; any other path is one itself.
    private static func currentVersionPath(_ path: String) throws(FormatError) -> String {
        guard let bundle = ModelBundle(path: path) else { return path }
        let names = try bundle.versionNames()
        guard let current = try bundle.currentName(among: names) else {
            throw .unreadable(
                path: path, reason: "it does not say which of its \(names.count) versions is current")
        }
        return bundle.path(of: current)
    }

    /// The bytes of a file of a model, which must be a plain file and not a large one.
    static func bytes(_ path: String) throws(FormatError) -> [UInt8] {
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
