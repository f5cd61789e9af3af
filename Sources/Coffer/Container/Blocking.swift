internal import CofferLinux

/// Runs what blocks on a thread of its own, so that Swift's pool need not wait.
enum Blocking {
    static func run(_ body: @escaping @Sendable () throws(CofferError) -> Void) async throws(CofferError) {
        let result: Result<Void, CofferError> = await withCheckedContinuation { continuation in
            do throws(LinuxError) {
                _ = try WorkerThread(name: "coffer-blocking") {
                    do throws(CofferError) {
                        try body()
                        continuation.resume(returning: .success(()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            } catch {
                continuation.resume(returning: .failure(.unavailable("No thread can be started: \(error)")))
            }
        }
        try result.get()
    }
}
