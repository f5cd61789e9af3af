internal import CofferLinux

/// Runs what blocks on a thread of its own, so that Swift's pool need not wait.
enum Blocking {
    static func run(_ body: @escaping @Sendable () throws(CofferError) -> Void) async throws(CofferError) {
        try await value(body)
    }

    static func value<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CofferError) -> Value
    ) async throws(CofferError) -> Value {
        let result: Result<Value, CofferError> = await withCheckedContinuation { continuation in
            do throws(LinuxError) {
                _ = try WorkerThread(name: "coffer-blocking") {
                    do throws(CofferError) {
                        continuation.resume(returning: .success(try body()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            } catch {
                continuation.resume(returning: .failure(.unavailable("No thread can be started: \(error)")))
            }
        }
        return try result.get()
    }
}
