import FoundationEssentials

/// Paths of files for shells, which have to be told them if an argument may be something else, too.
enum PathCompletion {
    /// A folder that is the only one is gone into, since a shell ends the word after the only offer; at most
    /// so many times.
    private static let deepest = 8

    /// The files and folders that a path may become; folders end with a slash.
    static func paths(beginningWith start: String) -> [String] {
        var found = entries(start)
        for _ in 0..<deepest {
            guard found.count == 1, let only = found.first, only.hasSuffix("/") else { break }
            found = entries(only)
        }
        return found
    }

    private static func entries(_ start: String) -> [String] {
        let end = start.lastIndex(of: "/").map { start.index(after: $0) } ?? start.startIndex
        let (folder, name) = (String(start[..<end]), start[end...])
        // What cannot be read has nothing to offer.
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { $0.hasPrefix(name) && ($0.first != "." || name.first == ".") }.sorted().map {
            let path = folder + $0
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            return isFolder ? path + "/" : path
        }
    }
}
