import CofferLinux

/// The stores among the fixtures, and copies of them to work on.
package enum StoreFixtures {
    /// All of them, by folder and name; empty if there are no fixtures.
    package static let all: [String] = {
        guard let path = FixtureFolder.path else { return [] }
        var found: [String] = []
        for place in ["stores", "elements"] {
            guard let root = try? Folder(at: "\(path)/\(place)"), let names = try? root.names() else {
                continue
            }
            for name in names {
                let files = (try? Folder(at: "\(path)/\(place)/\(name)").names()) ?? []
                found += files.filter { $0.hasSuffix(".sqlite") || $0.hasSuffix(".db") }
                    .map { "\(place)/\(name)/\($0)" }
            }
        }
        return found.sorted()
    }()

    /// Copies one with its log into the folder at `path`; says the copy's name.
    package static func copy(_ store: String, to path: String) throws -> String {
        let parts = store.split(separator: "/")
        let name = String(parts.last ?? "")
        let source = try Folder(
            at: FixtureFolder.required() + "/" + parts.dropLast().joined(separator: "/"))
        let target = try Folder(at: path)
        for suffix in ["", "-wal"] where try source.exists(name + suffix) {
            try target.replace(name + suffix, with: source.read(name + suffix, limit: 1 << 30))
        }
        return name
    }
}
