import Coffer
import CofferLinux
import CofferModel
import CofferWire
import Synchronization
import TestSupport
import Testing

/// Calls that no caller waits for any more when their answers come.
struct GivenUpCallTests {
    @Test(arguments: Seed.several(1))
    func `a late answer never reaches another call`(seed: Seed) throws {
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            try channel.reply(to: header, bytes: payload)
            return true
        }
        let client = try service.client()
        _ = try client.call(.metadata, payload: [])
        let wrong = Atomic(0)
        let late = Atomic(0)
        let threads = try (0..<6).map { thread in
            try WorkerThread(name: "caller") {
                var numbers = Seed(seed.value &+ UInt64(thread)).generator()
                for i in 0..<2_000 {
                    let payload = Array("\(thread):\(i)".utf8)
                    // About as long as an answer takes.
                    let timeout = Duration.microseconds(Int.random(in: 1...300, using: &numbers))
                    do throws(CofferError) {
                        let answer = try client.call(.metadata, payload: payload, timeout: timeout)
                        if answer != payload { wrong.add(1, ordering: .relaxed) }
                    } catch {
                        late.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0, "replay: COFFER_SEED=\(seed)")
        #expect(late.load(ordering: .relaxed) > 0)
        #expect(try client.call(.metadata, payload: [7]) == [7], "and the channel works on")
    }
}
