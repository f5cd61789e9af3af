package import CofferModel
import FoundationEssentials

/// Reads mapping models: Xcode's `.xcmappingmodel`, which is a store in XML, and the `.cdm` that its compiler
/// makes of one, a keyed archive.
package enum MappingModelFile {
    /// Whether a path names a mapping model.
    package static func isNamed(_ path: String) -> Bool {
        let name = path.hasSuffix("/") ? path.dropLast() : path[...]
        return [".xcmappingmodel", ".cdm", "/xcmapping.xml"].contains { name.hasSuffix($0) }
    }

    /// The mapping model at `path`: an `.xcmappingmodel` folder, the `xcmapping.xml` in it, or a `.cdm` file.
    ///
    /// - Throws: `FormatError`: `.unreadable`, `.malformed`, `.damagedPropertyList`, and `.unsupported` for a
    ///   file of neither kind.
    package static func read(path: String) throws(FormatError) -> MappingModel {
        let file = file(at: path)
        return try read(try ModelFile.bytes(file), file: file)
    }

    /// What the mapping model at `path` says that has no effect, as of a name that is mistyped.
    ///
    /// A compiled one has no warnings: no hand has written it.
    package static func warnings(path: String) throws(FormatError) -> [ModelWarning] {
        let file = file(at: path)
        let bytes = try ModelFile.bytes(file)
        guard XMLStoreReader.recognises(bytes) else { return [] }
        return MappingWarnings.of(try XMLDocumentReader.read(bytes, file: file), file: file)
    }

    private static func file(at path: String) -> String {
        ModelBundle.isDirectory(path) ? "\(path)/xcmapping.xml" : path
    }

    /// The mapping model in the bytes of a file, which errors call `file`.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> MappingModel {
        if BinaryPropertyListReader.recognises(bytes) {
            let archive = try KeyedArchive(try BinaryPropertyListReader.read(bytes))
            return try MappingArchiveReader(archive, path: file).model()
        }
        guard XMLStoreReader.recognises(bytes) else {
            throw .unsupported(
                path: file, reason: "it is neither a mapping model of Xcode's nor a compiled one")
        }
        return try MappingStoreReader(try XMLStoreReader.read(bytes, file: file), path: file).model()
    }
}
