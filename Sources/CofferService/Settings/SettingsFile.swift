import CofferLinux

/// The file with the settings of a service: `cofferd.conf`.
package enum SettingsFile {
    private static let name = "cofferd.conf"

    /// Where it is: in `/etc/coffer` for the service of all users, else where the user's settings are;
    /// `nil` if nothing tells that.
    package static func path(isSystem: Bool, environment: [String: String]) -> String? {
        if isSystem { return "/etc/coffer/\(name)" }
        return XDG(environment: environment).configHome.map { "\($0)/coffer/\(name)" }
    }

    /// What the file at `path` says; nothing if it is not there, unless it must be.
    ///
    /// `/dev/null` says nothing, also by a link: that is how files of settings are masked. The file may be
    /// a link, as those who manage settings make them: a user who may make one there may also write there.
    /// - Throws: `SettingsError` with the line that is wrong, or with why the file cannot be read.
    package static func read(_ path: String, mustExist: Bool) throws(SettingsError) -> ServiceSettings {
        let bytes: [UInt8]
        do throws(LinuxError) {
            let file = try OwnedDescriptor(opening: path, [.nonBlocking])
            let facts = try file.facts()
            if facts.kind == .other, try facts.isNothing { return ServiceSettings() }
            guard facts.kind == .file else {
                throw .malformed(path: path, detail: "it is not a regular file")
            }
            bytes = try file.readAll(limit: Limits.settings)
        } catch {
            if error.isNotFound, !mustExist, !isLink(path) { return ServiceSettings() }
            throw .unreadable(file: path, reason: "\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(file: path, reason: "it is not UTF-8 text")
        }
        return try ServiceSettings(text: text, file: path)
    }

    /// Whether there is a link at `path`, wherever it leads: then settings are meant to be there.
    private static func isLink(_ path: String) -> Bool {
        let place = FileLocation(path)
        do throws(LinuxError) {
            return try Folder(at: place.folder).facts(of: place.name)?.kind == .symbolicLink
        } catch {
            return false  // Where its folder is not there, nothing is.
        }
    }
}

extension FileFacts {
    /// Whether the file is `/dev/null`, whatever its name.
    fileprivate var isNothing: Bool {
        get throws(LinuxError) {
            try Folder(at: "/dev").facts(of: "null").map { $0.isSameFile(as: self) } ?? false
        }
    }
}
