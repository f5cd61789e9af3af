/// Where files of a user belong, by the XDG Base Directory Specification.
///
/// Each is an absolute path without a slash at its end, or `nil` if neither its variable nor `HOME` tells.
/// Paths that are not absolute are ignored, as the specification asks.
package struct XDG: Equatable, Sendable {
    /// What a user would back up; `XDG_DATA_HOME`, else `~/.local/share`.
    package let dataHome: String?
    /// Settings; `XDG_CONFIG_HOME`, else `~/.config`.
    package let configHome: String?
    /// What outlives a restart but matters less than data; `XDG_STATE_HOME`, else `~/.local/state`.
    package let stateHome: String?
    /// What can be made again; `XDG_CACHE_HOME`, else `~/.cache`.
    package let cacheHome: String?
    /// Sockets and the like, for this session; `XDG_RUNTIME_DIR`, and nothing else.
    package let runtimeFolder: String?

    /// The places that `environment` names.
    package init(environment: [String: String]) {
        func place(_ name: String) -> String? {
            guard var path = environment[name], path.hasPrefix("/") else { return nil }
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return path
        }
        func below(_ rest: String) -> String? {
            place("HOME").map { $0 == "/" ? "/\(rest)" : "\($0)/\(rest)" }
        }
        dataHome = place("XDG_DATA_HOME") ?? below(".local/share")
        configHome = place("XDG_CONFIG_HOME") ?? below(".config")
        stateHome = place("XDG_STATE_HOME") ?? below(".local/state")
        cacheHome = place("XDG_CACHE_HOME") ?? below(".cache")
        runtimeFolder = place("XDG_RUNTIME_DIR")
    }
}

extension Folder {
    /// Where services keep their stores unless they are told otherwise, that of all users and that of this
    /// one, as far as there are such.
    package static func serviceFolders(
        environment: [String: String] = CurrentProcess.environment
    ) -> [Folder] {
        let places = ["/var/lib/coffer", XDG(environment: environment).dataHome.map { $0 + "/coffer" }]
        // What this process cannot look into, it cannot put anything into.
        return places.compactMap { $0 }.compactMap { try? Folder(at: $0) }
    }
}
