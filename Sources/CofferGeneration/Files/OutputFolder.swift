import FoundationEssentials

/// What becomes of a file in the folder.
package enum FileChange: String, Sendable, Hashable {
    /// It is new.
    case create
    /// Its text is another.
    case update
    /// Nothing.
    case keep
    /// It is not wanted any more.
    case remove
    /// It is not ours, and stays.
    case refuse
}

/// A folder of files that were made of models.
///
/// It changes files that differ only, and removes those that their first line says were made of the same
/// model.
package struct OutputFolder: Sendable {
    /// A file, and what becomes of it.
    package struct Step: Sendable, Hashable {
        /// The file's name.
        package let name: String
        /// The entity whose class is in it.
        package let entity: String?
        /// What becomes of it.
        package let change: FileChange
        fileprivate let text: String
    }

    /// Where it is.
    package let path: String

    /// The folder at `path`, which need not exist yet.
    package init(path: String) { self.path = path }

    /// The path of a file as seen from the folder, links resolved, which tells models of the same name apart
    /// and is the same in every copy of a project.
    package func relativePath(of file: String) -> String {
        let (own, other) = (Self.components(path), Self.components(file))
        let shared = zip(own, other).prefix { $0 == $1 }.count
        return (own.dropFirst(shared).map { _ in ".." } + other.dropFirst(shared)).joined(separator: "/")
    }

    /// The components of an absolute path, with links resolved as far as it exists.
    private static func components(_ path: String) -> [String] {
        var url = URL(filePath: path).absoluteURL.standardized
        var missing: [String] = []
        while !FileManager.default.fileExists(atPath: url.path), url.pathComponents.count > 1 {
            missing.append(url.lastPathComponent)
            url = url.deletingLastPathComponent()
        }
        return (url.resolvingSymlinksInPath().pathComponents + missing.reversed()).filter { $0 != "/" }
    }

    /// What is to be done so that `files` are there and others with their `header` are not.
    ///
    /// - Throws: `.unwritable` where the folder, or a file in it, cannot be read.
    package func steps(
        for files: [GeneratedFile], header: String, isForced: Bool = false
    ) throws(GenerationError) -> [Step] {
        var steps: [Step] = []
        for file in files {
            let change: FileChange =
                if let old = try text(of: file.name) {
                    old == file.text
                        ? .keep : isForced || Self.isMarked(old, by: header) ? .update : .refuse
                } else { .create }
            steps.append(Step(name: file.name, entity: file.entity, change: change, text: file.text))
        }
        let wanted = Set(files.map(\.name))
        for name in try names() where name.hasSuffix("+Coffer.swift") && !wanted.contains(name) {
            guard let old = try text(of: name), Self.isMarked(old, by: header) else { continue }
            steps.append(Step(name: name, entity: nil, change: .remove, text: ""))
        }
        return steps
    }

    /// Does the steps: all of them, or none where one is refused.
    ///
    /// - Throws: `.foreignFiles` where files are not ours; `.unwritable` where the system refuses.
    package func apply(_ steps: [Step]) throws(GenerationError) {
        let foreign = steps.filter { $0.change == .refuse }.map { "\(path)/\($0.name)" }
        guard foreign.isEmpty else { throw .foreignFiles(foreign) }
        try writing(path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for step in steps {
            let file = "\(path)/\(step.name)"
            switch step.change {
            case .create, .update:
                try writing(file) {
                    try Data(step.text.utf8).write(to: URL(filePath: file), options: .atomic)
                }
            case .remove: try writing(file) { try FileManager.default.removeItem(atPath: file) }
            case .keep, .refuse: break
            }
        }
    }
}

extension OutputFolder {
    private static func isMarked(_ text: String, by header: String) -> Bool {
        text.split(separator: "\n", maxSplits: 1).first.map { $0 == header } ?? false
    }

    /// The names of what is in it; none where it does not exist.
    private func names() throws(GenerationError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        do { return try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
            throw .unwritable(path: path, reason: "it is not a folder, or cannot be listed")
        }
    }

    /// The text of a file; `nil` where there is none.
    private func text(of name: String) throws(GenerationError) -> String? {
        let file = "\(path)/\(name)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw .unwritable(path: file, reason: "there is something of this name that cannot be read")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func writing(_ path: String, _ body: () throws -> Void) throws(GenerationError) {
        do { try body() } catch {
            let reason =
                switch (error as? CocoaError)?.code {
                case .fileNoSuchFile?, .fileReadNoSuchFile?: "its folder is not there, and cannot be made"
                case .fileWriteNoPermission?: "there is no permission to do so"
                case .fileWriteVolumeReadOnly?: "the medium can only be read"
                case .fileWriteOutOfSpace?: "the disk is full"
                case .fileWriteFileExists?: "there is a file where its folder should be"
                case let code?: "the system refuses it (\(code.rawValue))"
                case nil: "the system refuses it"
                }
            throw .unwritable(path: path, reason: reason)
        }
    }
}
