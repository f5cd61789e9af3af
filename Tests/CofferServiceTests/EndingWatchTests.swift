import CofferLinux
import CofferService
import Logging
import Testing

@Suite struct EndingWatchTests {
    @Test func `a process whose work does not end stops its reads, then exits`() async {
        await #expect(processExitsWith: .exitCode(CofferService.Limits.overdueExit)) {
            let stopped = ConditionLock(false)
            let watch = EndingWatch(
                logger: Logger(label: "test"), readingTime: .milliseconds(1), time: .milliseconds(2))
            watch.begin {
                stopped.withLock { $0 = true }
                stopped.broadcast()
            }
            stopped.wait { $0 ? () : nil }
            stopped.wait { _ -> Void? in nil }  // Work without end.
        }
    }

    @Test func `a process whose work has ended goes on to its own end`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let watch = EndingWatch(
                logger: Logger(label: "test"), readingTime: .milliseconds(1), time: .milliseconds(2))
            watch.end()
            let isAsked = ConditionLock(false)
            watch.begin { isAsked.withLock { $0 = true } }
            _ = isAsked.wait(timeout: .milliseconds(50)) { $0 ? true : nil }
            CurrentProcess.exitAtOnce(code: isAsked.withLock { $0 } ? 4 : 3)
        }
    }
}
