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

    /// Makes the service stop when it passes `point` next.
    func arm(_ point: CrashPoint) throws { try folder.replace(point.rawValue, with: []) }

    /// Waits until the service stands still at `point`, lends it so, and lets it go on.
    func pausing(_ service: ServiceUnderTest, at point: CrashPoint, _ body: () throws -> Void) throws {
        try waitUntilReached(point)
        guard let pid = try service.pid() else { throw NotReached() }
        // It tells that it is there before it stops.
        try waitUntil("the service has stopped") {
            let status = try Folder(at: "/proc/\(pid)").read("stat", limit: 4_096)
            return String(decoding: status, as: UTF8.self).contains(") T ")
        }
        try body()
        try ProcessControl.kill(pid, .resume)
    }

    /// Waits until the service stands still at `point`.
    func waitUntilReached(_ point: CrashPoint) throws {
        guard try reached.next(timeout: .seconds(60)) == point.rawValue else { throw NotReached() }
    }
}
