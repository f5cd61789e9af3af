extension XMLStoreWriter {
    /// The document `bytes` with other metadata, and without any other change.
    ///
    /// The caller reads the result back: what looks like the metadata may stand in a comment.
    /// - Throws: `FormatError.refused` if the document has no metadata in place, and `.unrepresentable` for
    ///   values that XML cannot hold.
    package static func replacingMetadata(
        of bytes: [UInt8], with values: [String: PropertyListValue], file: String
    ) throws(FormatError) -> [UInt8] {
        guard let start = bytes.firstRange(of: Array("<metadata>".utf8)),
            let end = bytes[start.upperBound...].firstRange(of: Array("</metadata>".utf8))
        else {
            throw AtomicStoreBudget(file: file).refused("it has no element 'metadata' to change")
        }
        let lines = try XMLPropertyListWriter.lines(of: .dictionary(values), depth: 3)
        return Array(bytes[..<start.upperBound]) + Array("\n\(lines)        ".utf8)
            + Array(bytes[end.lowerBound...])
    }
}
