import CofferCoordination
import CofferLinux
import TestSupport

/// Where a debug build of the service is told at which point to stop, and tells that it did.
final class StoppingPlace {
    struct NotReached: Error {}

    private let holder: TemporaryFolder
    private let folder: Folder
    private let reached: LineReader

    /// What the service must have in its environment.
    var environment: [String: String] { ["COFFER_TEST_STOP_AT": holder.path] }

    init() throws {
        holder = try TemporaryFolder()
        folder = try Folder(at: holder.path)
        try run("mkfifo", ["\(holder.path)/reached"])
        // For reading and writing, so that it neither waits for the service nor ends with it.
        reached = LineReader(try folder.openBeneath("reached", [.readWrite, .nonBlocking]))
    }

    deinit { holder.remove() }

    /// Lets the service stop where it passes `point` next.
    func arm(_ point: CrashPoint) throws { try folder.replace(point.rawValue, with: []) }

    /// Waits until the service stands still at `point`.
    func waitUntilReached(_ point: CrashPoint) throws {
        guard try reached.next(timeout: .seconds(60)) == point.rawValue else { throw NotReached() }
    }
}
