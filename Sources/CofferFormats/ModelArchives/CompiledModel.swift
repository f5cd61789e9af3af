internal import CofferModel

/// What Xcode's compiler makes of a version of a model: a `.mom` file, a keyed archive of an
/// `NSManagedObjectModel`.
///
/// It says all that a store's `Z_MODELCACHE` says. The `.omo` file that newer compilers put beside it has the
/// same in a form of its own, and is not read.
enum CompiledModel {
    /// How an `.omo` file begins.
    private static let optimizedMark = Array("momv2$".utf8)

    /// Whether a file's bytes are one, or an older or optimised kin of one, and not XML.
    static func recognises(_ bytes: [UInt8]) -> Bool {
        BinaryPropertyListReader.recognises(bytes) || bytes.starts(with: optimizedMark)
    }

    /// The model in a file's bytes; errors call it `file`.
    ///
    /// - Throws: `damagedPropertyList` for what is not an archive of a model, `unsupported` for an `.omo`
    ///   file, `inconsistentModel`; for a model of Xcode 3 what `ElementsReader` throws.
    static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> ManagedObjectModel {
        if bytes.starts(with: optimizedMark) {
            throw .unsupported(
                path: file,
                reason: "it is the optimised form of a compiled model: take the .mom file of the same name")
        }
        let archive = try KeyedArchive(try BinaryPropertyListReader.read(bytes))
        if archive.root.className == ElementsReader.modelClass {
            return try ElementsReader(archive, path: file).model()
        }
        return try ModelArchiveReader(archive, path: file).model()
    }

    /// What is passed over in a model; what makes one that cannot be read is for its readers.
    static func warnings(_ bytes: [UInt8], file: String) -> [ModelWarning] {
        // Bytes of something else have no warnings; the reader of models says what they are.
        guard let list = try? BinaryPropertyListReader.read(bytes), let archive = try? KeyedArchive(list)
        else { return [] }
        if archive.root.className != ElementsReader.modelClass {
            let reader = ModelArchiveReader(archive, path: file)
            _ = try? reader.model()  // For what it notes on the way.
            return reader.notices.warnings
        }
        let reader = ElementsReader(archive, path: file)
        _ = try? reader.model()  // As above.
        return reader.notices.warnings
    }
}
