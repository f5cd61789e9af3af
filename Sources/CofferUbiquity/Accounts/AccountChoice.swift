internal import CofferContainer

/// The choice among the known accounts when a user signs in with a folder.
struct AccountChoice {
    private let known: [Account]
    private let markers: Set<ContainerID>
    private let name: String
    private let path: String

    /// The choice for a folder at `path` with these markers, which is to be called `name`.
    init(of known: [Account], markers: Set<ContainerID>, name: String, path: String) {
        (self.known, self.markers, self.name, self.path) = (known, markers, name, path)
    }

    /// The account; `nil` if it is a new one.
    ///
    /// Markers of several accounts may lie in one folder, since one was copied: then the account counts
    /// that had this folder before, else the one of this name.
    ///
    /// - Throws: `AccountError` if that is not certain, or the name is that of another account.
    func account() throws(AccountError) -> Account? {
        let candidates = known.filter { markers.contains($0.root) }
        let account =
            candidates.first { $0.path.utf8.elementsEqual(path.utf8) }
            ?? candidates.first { $0.name.utf8.elementsEqual(name.utf8) }
            ?? (candidates.count == 1 ? candidates[0] : nil)
        if account == nil, candidates.count > 1 {
            throw .ambiguousRoot(path, names: candidates.map(\.name))
        }
        if markers.isEmpty, let lost = known.first(where: { $0.path.utf8.elementsEqual(path.utf8) }) {
            // A mount point without its disk, or a folder that has not come yet.
            throw .markerMissing(lost.name, path: path)
        }
        if let other = known.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
            other.root != account?.root
        {
            throw .nameTaken(name, path: other.path)
        }
        return account
    }
}

extension Account {
    /// Whether its name and path are these, byte by byte, as the file system compares them.
    func isCalled(_ name: String, at path: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) && self.path.utf8.elementsEqual(path.utf8)
    }
}
