package import CofferFormats
package import CofferModel

/// How the file of a store that is read and written as a whole has its objects.
///
/// Binary and XML files are two of these; applications bring their own.
package protocol AtomicFormat: Sendable {
    /// What the type is called in metadata.
    var metadataName: String { get }

    /// Whether a file that lacks what Coffer notes in it is another program's, not to be written without
    /// consent.
    var marksFiles: Bool { get }

    /// Throws if a file could not tell the model's names apart.
    ///
    /// - Throws: `StoreError.unfitModel`.
    func requireNames(of model: StoreModel) throws(StoreError)

    /// What a whole file has; `path` is for errors.
    func content(of bytes: [UInt8], path: String) throws(StoreError) -> AtomicStoreContent

    /// A model for a file that keeps none, by which it can be read; `content` is what it has.
    ///
    /// - Throws: `StoreError.unknownModel` if its objects do not tell one.
    func guessedModel(
        of bytes: [UInt8], _ content: AtomicStoreContent, path: String
    ) throws(StoreError) -> StoreModel

    /// A whole file with `content`; `path` is for errors.
    func bytes(
        of content: AtomicStoreContent, _ model: ManagedObjectModel, path: String
    ) throws(StoreError) -> [UInt8]

    /// What was made last is in the file for good.
    func didWrite()
}

extension AtomicFormat {
    package var marksFiles: Bool { true }
    package func requireNames(of model: StoreModel) throws(StoreError) {}
    package func didWrite() {}

    package func guessedModel(
        of bytes: [UInt8], _ content: AtomicStoreContent, path: String
    ) throws(StoreError) -> StoreModel {
        throw .unknownModel(path: path)
    }
}

/// Compact files.
struct BinaryFormat: AtomicFormat {
    var metadataName: String { StoreType.binary.metadataName }

    func guessedModel(
        of bytes: [UInt8], _ content: AtomicStoreContent, path: String
    ) throws(StoreError) -> StoreModel {
        try GuessedGraphModel.model(of: content, [:], path: path)
    }

    func content(of bytes: [UInt8], path: String) throws(StoreError) -> AtomicStoreContent {
        do throws(FormatError) { return try BinaryStoreReader.read(bytes, file: path) } catch {
            throw StoreError(error, path: path)
        }
    }

    func bytes(
        of content: AtomicStoreContent, _ model: ManagedObjectModel, path: String
    ) throws(StoreError) -> [UInt8] {
        do throws(FormatError) { return try BinaryStoreWriter.bytes(of: content, file: path) } catch {
            throw StoreError(error, path: path)
        }
    }
}

/// Files of XML as Core Data has them.
struct XMLFormat: AtomicFormat {
    var metadataName: String { StoreType.xml.metadataName }

    func guessedModel(
        of bytes: [UInt8], _ content: AtomicStoreContent, path: String
    ) throws(StoreError) -> StoreModel {
        let ends: [String: [String: XMLStoreReader.End]]
        do throws(FormatError) { ends = try XMLStoreReader.ends(bytes, file: path) } catch {
            throw StoreError(error, path: path)
        }
        return try GuessedGraphModel.model(of: content, ends, path: path)
    }

    func requireNames(of model: StoreModel) throws(StoreError) { try model.requireXMLNames() }

    func content(of bytes: [UInt8], path: String) throws(StoreError) -> AtomicStoreContent {
        do throws(FormatError) { return try XMLStoreReader.read(bytes, file: path) } catch {
            throw StoreError(error, path: path)
        }
    }

    func bytes(
        of content: AtomicStoreContent, _ model: ManagedObjectModel, path: String
    ) throws(StoreError) -> [UInt8] {
        do throws(FormatError) {
            return try XMLStoreWriter.bytes(of: content, model: model, file: path)
        } catch {
            throw StoreError(error, path: path)
        }
    }
}

extension StoreType {
    /// The form of its files, if they are written as a whole.
    var format: any AtomicFormat { self == .xml ? XMLFormat() : BinaryFormat() }
}
