import CofferLinux
import FoundationEssentials

/// A file that takes its name, and the place of what stood there, once it is whole; or a pipe or device,
/// which is written at once.
///
/// Confined.
final class TraceFile {
    /// What is written into.
    let descriptor: OwnedDescriptor
    /// Its folder, the name that it has meanwhile, and the one that it is to have.
    private var names: (folder: Folder, part: String, whole: String)?

    init(_ path: String) throws(LinuxError) {
        if let stream = try Self.stream(path) {
            descriptor = stream
            return
        }
        // If a link leads to a file, that file is meant.
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let place = FileLocation(target.isEmpty ? path : target)
        let folder = try Folder(at: place.folder)
        try RelativePath.checkComponent(place.name)
        let part = ".\(place.name.prefix(200)).\(CurrentProcess.id).part"
        descriptor = try folder.openBeneath(part, [.writeOnly, .create, .truncate], permissions: 0o644)
        names = (folder, part, place.name)
    }

    /// What stands at the path and is not a regular file, open for writing.
    private static func stream(_ path: String) throws(LinuxError) -> OwnedDescriptor? {
        if path == "/dev/stdout" { return try OwnedDescriptor.duplicate(of: 1) }
        let facts: FileFacts
        do throws(LinuxError) {
            facts = try OwnedDescriptor(opening: path, .pathOnly).facts()
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
        return facts.kind == .other ? try OwnedDescriptor(opening: path, .writeOnly) : nil
    }

    /// Gives it its name.
    func finish() throws(LinuxError) {
        guard let (folder, part, whole) = names else { return }
        try folder.rename(part, to: whole, replacing: true)
        names = nil
    }

    /// Takes it away, unless it has its name.
    func discard() {
        guard let (folder, part, _) = names else { return }
        // What stays is a hidden file, and no recording.
        _ = try? folder.unlink(part)
        names = nil
    }
}
