import Glibc

/// Threads that take no signals, so that the process's own thread does.
enum LoopThread {
    /// Starts a detached thread that runs `body`.
    static func start(_ body: @escaping @Sendable () -> Void) throws(DBusError) {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)  // The new thread inherits it.
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(run: body))
        let code = unsafe pthread_create(
            &thread, nil,
            { data in
                guard let data = unsafe data else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(data).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw .system(call: "pthread_create", code: code)
        }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
