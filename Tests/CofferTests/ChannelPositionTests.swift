import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

struct ChannelPositionTests {
    /// Announces, drops, saves and hangs up at random; whatever happens, each transaction is told once and in
    /// order.
    @Test(arguments: Seed.several(8))
    func `every transaction is told once, whatever happens`(seed: Seed) throws {
        var random = seed.generator()
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<200 {
            switch UInt.random(in: 0..<20, using: &random) {
            case 0..<10: try service.commit()
            case 10..<13: try service.commit(isSilent: true)
            case 13..<19: _ = try save(coordinator, origin: nil)
            default:
                service.channel?.close()
                _ = try save(coordinator, origin: nil)
            }
        }
        // A save ends with all before it told or skipped; a new channel brings what was skipped.
        service.channel?.close()
        _ = try save(coordinator, origin: nil)
        try service.commit()
        let last = service.state.withLock { $0.number }
        let numbers = observer.until("\(last)").compactMap { UInt64($0) }
        #expect(Set(numbers).count == numbers.count, "COFFER_SEED=\(seed)")
        #expect(numbers.last == last, "COFFER_SEED=\(seed)")
    }

    /// How fast calls are, with `COFFER_BENCHMARK=1` in a release build.
    @Test(.enabled(if: CurrentProcess.environment["COFFER_BENCHMARK"] != nil))
    func `round trips a second`() throws {
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            try channel.reply(to: header, bytes: payload)
            return true
        }
        let client = try service.client()
        let payload = [UInt8](repeating: 1, count: 200)
        for threads in [1, 2, 4, 8] {
            let start = Monotonic.now
            let count = 100_000 / threads
            let all = try (0..<threads).map { _ in
                try WorkerThread(name: "caller") {
                    for _ in 0..<count { _ = try? client.call(.metadata, payload: payload) }
                }
            }
            for thread in all { thread.join() }
            let seconds = Double(Monotonic.now - start) / 1e9
            let rate = Double(count * threads) / seconds
            print("\(threads) threads: \(Int(rate)) round trips/s, \(1e6 * Double(threads) / rate) µs each")
        }
        try announce(service)
    }

    /// From before a push is sent to its observer, while the process is idle.
    private func announce(_ service: FakeService) throws {
        let (coordinator, observer) = try service.coordinator()
        var times: [UInt64] = []
        for i in 1...500 {
            // The reader sleeps again when the push before was told and no caller is left.
            let start = Monotonic.now
            try service.commit()
            _ = observer.first(i)
            times.append(Monotonic.now - start)
        }
        times.sort()
        print("push to observer: p50 \(times[250] / 1_000) µs, p99 \(times[495] / 1_000) µs")
        _ = coordinator
    }
}
