import CofferLinux
import Glibc
import Synchronization
import TestSupport

/// The service that all tests of a run share, on a private bus of theirs.
///
/// Shared. It starts when the first test asks for it, and ends with the process.
final class SharedService: Sendable {
    let bus: PrivateBus
    private let applications = Atomic(0)

    private static let shared = Result { try SharedService() }

    /// The one of this run.
    ///
    /// - Throws: Why it could not be started.
    static func get() throws -> SharedService { try shared.get() }

    private init() throws {
        // What a failing test needs to know of the service: COFFER_TEST_LOG=debug shows it.
        let log = CurrentProcess.environment["COFFER_TEST_LOG"]
        let logged = log.map { ["--log-level", $0] } ?? []
        bus = try PrivateBus(
            services: [
                .init(
                    name: "org.coffer.Storage1", executable: try BuiltProducts.path(of: "cofferd"),
                    arguments: ["--idle-timeout", "0"] + logged)
            ],
            isQuiet: log == nil)
        atexit { try? SharedService.get().bus.stop() }
    }

    /// The name of an application that no other test has.
    func newApplication() -> String {
        "org.coffer.Tests.t\(applications.add(1, ordering: .relaxed).newValue)"
    }

    /// Where the service keeps what belongs to an application.
    func folder(of application: String) -> String { "\(bus.path)/data/coffer/\(application)" }
}
