internal import CLinux

/// What the sandbox of a process says about it; `/.flatpak-info` in its own root.
package struct FlatpakInfo: Equatable, Sendable {
    /// The application's name, in reverse DNS form.
    package let applicationID: String
    /// Which run of the application it is, if the file says so.
    package let instanceID: String?

    /// The sandbox of process `pid`; `nil` if it is in no sandbox.
    ///
    /// - Throws: Any error means that nothing is known, and the caller must be refused: it never means 'no
    ///   sandbox'.
    package static func read(pid: Int32) throws(LinuxError) -> FlatpakInfo? {
        try read(root: "/proc/\(pid)/root")
    }

    /// The sandbox of a process whose root folder is at `root`; `nil` if it is in no sandbox.
    package static func read(root: String) throws(LinuxError) -> FlatpakInfo? {
        let folderFlags = OpenFlags([.directory, .nonBlocking]).rawValue
        let folder = OwnedDescriptor(
            owning: try check(unsafe coffer_open(root, folderFlags, 0), "open", path: root))
        let path = "\(root)/.flatpak-info"
        let flags = OpenFlags([.nonBlocking, .noFollow]).rawValue
        let number = unsafe coffer_open_at(folder.number, ".flatpak-info", flags, 0)
        if number == -coffer_enoent { return nil }
        let file = OwnedDescriptor(owning: try check(number, "openat", path: path))
        if try file.facts().kind != .file { throw .malformed(path: path, detail: "not a regular file") }
        let bytes = try file.readAll(limit: Limits.systemFile)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(path: path, detail: "no UTF-8")
        }
        return try FlatpakInfo(text, path: path)
    }

    /// What Flatpak says of the process that `process` is a descriptor of, if there is one.
    ///
    /// - Throws: Also if the process has ended: its number may be that of another process by now, from which
    ///   the facts were then read.
    package static func read(root: String, of process: OwnedDescriptor?) throws(LinuxError) -> FlatpakInfo? {
        let info = try read(root: root)
        // A process that lives shares its number with no other, so what was read before is its own.
        if let process, try process.waitReady(toWrite: false, deadline: 0) {
            throw .malformed(path: root, detail: "the process has ended")
        }
        return info
    }

    private init(_ text: String, path: String) throws(LinuxError) {
        var group: Substring = ""
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = line.dropFirst().dropLast()
            } else if let equals = line.firstIndex(of: "="), !line.hasPrefix("#") {
                values["\(group)/\(line[..<equals])"] = String(line[line.index(after: equals)...])
            }
        }
        guard let name = values["Application/name"], Self.isApplicationID(name) else {
            throw .malformed(path: path, detail: "not a valid name of an application")
        }
        applicationID = name
        instanceID = values["Instance/instance-id"]
    }

    /// Whether `name` has at least two elements of letters, digits, `_` and `-`, none of which starts with a
    /// digit.
    private static func isApplicationID(_ name: String) -> Bool {
        let elements = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard elements.count >= 2, name.utf8.count <= Limits.applicationName else { return false }
        return elements.allSatisfy { element in
            guard let first = element.first, !(0x30...0x39).contains(first) else { return false }
            return element.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
                default: false
                }
            }
        }
    }
}
