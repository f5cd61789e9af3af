/// Checks names that come from outside before they become part of a path.
package enum RelativePath {
    /// Checks that `name` can be the name of one file: no `/`, no NUL, neither empty, `.` nor `..`, at most
    /// `Limits.fileName` bytes.
    package static func checkComponent(_ name: String) throws(LinuxError) {
        if let fault = fault(ofComponent: name) { throw .invalidPath(name, reason: fault) }
    }

    /// The components of `path`, each checked; it is relative, without empty components, at most
    /// `Limits.path` bytes.
    package static func components(of path: String) throws(LinuxError) -> [String] {
        if path.isEmpty { throw .invalidPath(path, reason: .empty) }
        if path.utf8.count > Limits.path { throw .invalidPath(path, reason: .tooLong) }
        if path.utf8.first == UInt8(ascii: "/") { throw .invalidPath(path, reason: .absolute) }
        // By bytes, as the kernel does: a mark behind the slash makes another character of it.
        let components = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        for component in components {
            if let fault = fault(ofComponent: component) { throw .invalidPath(path, reason: fault) }
        }
        return components
    }

    private static func fault(ofComponent name: String) -> PathFault? {
        if name.isEmpty { return .empty }
        if name == "." || name == ".." { return .dots }
        if name.utf8.count > Limits.fileName { return .tooLong }
        if name.utf8.contains(0) { return .nul }
        if name.utf8.contains(UInt8(ascii: "/")) { return .separator }
        return nil
    }
}
