/// Where a file is: the path of its folder, and its name in there.
package struct FileLocation: Equatable, Sendable {
    /// The folder; `.` if the path is a name alone.
    package let folder: String
    /// The file's name; empty if the path ends with a slash.
    package let name: String

    /// The place that `path` says, which need not exist.
    package init(_ path: String) {
        // By bytes, as the kernel does: a mark behind the slash makes another character of it.
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            (folder, name) = (".", path)
            return
        }
        folder = slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
        name = String(decoding: bytes[(slash + 1)...], as: UTF8.self)
    }
}
