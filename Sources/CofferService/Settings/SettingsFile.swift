import CofferLinux

/// The file with the settings of a service: `cofferd.conf`.
package enum SettingsFile {
    private static let name = "cofferd.conf"

    /// Where it is: in `/etc/coffer` for the service of all users, else where the user's settings are; `nil` where nothing tells that.
    package static func path(isSystem: Bool, environment: [String: String]) -> String? {
        if isSystem { return "/etc/coffer/\(name)" }
        return XDG(environment: environment).configHome.map { "\($0)/coffer/\(name)" }
    }

    /// What the file at `path` says; nothing where it is not there, unless it must be.
    ///
    /// - Throws: `SettingsError` with the line that is wrong, or with why the file cannot be read.
    package static func read(_ path: String, mustExist: Bool) throws(SettingsError) -> ServiceSettings {
        let place = FilePlace(path)
        let bytes: [UInt8]
        do throws(LinuxError) {
            bytes = try Folder(at: place.folder).read(place.name, limit: Limits.settings)
        } catch {
            if error.isNotFound, !mustExist { return ServiceSettings() }
            throw .unreadable(file: path, reason: "\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(file: path, reason: "it is no UTF-8 text")
        }
        return try ServiceSettings(text: text, file: path)
    }
}
