package import CofferModel

/// The model that a store of Core Data keeps of itself, in its table `Z_MODELCACHE`: so it can be opened
/// without the model's file.
///
/// Raw deflate of a keyed archive of an `NSManagedObjectModel`. It has what version hashes cover, and
/// defaults, delete rules, classes, indexes, rules of validation, fetched properties, fetch request
/// templates, configurations and user info besides. Left out is what no archive has shown the form of:
/// defaults of decimals, and predicates and requests with a part of such a kind.
///
/// Source: measured in the caches of Core Data 640 to 1513.
package enum ModelCache {
    /// Reads the content of the table's row.
    ///
    /// - Throws: `damagedDeflate` and `damagedPropertyList` for what is not an archive of a model,
    ///   `unsupported` for a property of a kind that no store of ours keeps, `inconsistentModel`.
    package static func read(_ content: [UInt8]) throws(FormatError) -> ManagedObjectModel {
        let bytes = try RawDeflate.decompress(content, limit: Limits.propertyList)
        let archive = try KeyedArchive(try BinaryPropertyListReader.read(bytes))
        return try ModelArchiveReader(archive, path: "Z_MODELCACHE").model()
    }

    /// The content of the table's row for a model.
    package static func content(of model: ManagedObjectModel) -> [UInt8] {
        var writer = ModelArchiveWriter(model)
        return RawDeflate.compress(BinaryPropertyListWriter.bytes(of: writer.archive()))
    }
}
