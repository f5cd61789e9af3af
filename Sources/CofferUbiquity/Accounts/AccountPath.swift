/// The path of an account's folder.
enum AccountPath {
    /// The path as it is kept: absolute, and without what says nothing.
    ///
    /// Bytes are looked at, since a letter of Swift may begin with a slash.
    ///
    /// - Throws: `AccountError.unfitRoot`.
    static func checked(_ path: String) throws(AccountError) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .unfitRoot(path, reason: "the path is not absolute")
        }
        if path.utf8.contains(0) || path.utf8.count > Limits.pathByteCount {
            throw .unfitRoot(path, reason: "no file can have that path")
        }
        let pieces = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        if pieces.contains(where: { $0.utf8.elementsEqual("..".utf8) }) {
            throw .unfitRoot(path, reason: "the path has '..' in it")
        }
        return "/" + pieces.filter { !$0.utf8.elementsEqual(".".utf8) }.joined(separator: "/")
    }
}
