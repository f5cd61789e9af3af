import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import TestSupport
import Testing

/// Opens a store and takes its file away, again and again; what others do at the same time may refuse both.
private func flicker(_ client: RawClient, _ name: String, times: Int) throws {
    let remove = RemoveStoreRequestMessage(name: .init(name: name), isEvenIfOpen: true, waitMilliseconds: 1)
    for _ in 0..<times {
        do {
            _ = try client.open(name)
            let _: EmptyMessage = try client.call(.removeStore, remove)
        } catch is Refusal {
            continue
        }
    }
}

@Test
func `a store is told of as it comes and goes, in this order, whoever is at it at the same time`() throws {
    try withService { service in
        let listener = try service.connection()
        _ = try ServiceUnderTest.managedObjects(over: listener)
        let failures = ConditionLock<[String]>([])
        let threads = try (0..<3).map { index in
            try WorkerThread(name: "flicker") {
                do {
                    try flicker(service.channel(), "Flicker", times: 60)
                } catch {
                    failures.withLock { $0.append("\(index): \(error)") }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == [])
        let last = try service.channel()
        _ = try last.open("Last")
        var isThere = false
        var count = 0
        while true {
            let signal = try #require(try listener.nextSignal(timeoutMilliseconds: 20_000))
            let manager = "org.freedesktop.DBus.ObjectManager"
            let isAdded = signal.isSignal(manager, "InterfacesAdded")
            guard isAdded || signal.isSignal(manager, "InterfacesRemoved") else { continue }
            let path = try signal.argument(0, \.objectPathValue)
            if path.hasSuffix("/Last") { break }
            guard path.hasSuffix("/Flicker") else { continue }
            count += 1
            #expect(isAdded != isThere, "signal \(count) tells what was told before")
            isThere = isAdded
        }
        #expect(count >= 60)
        #expect(try service.managedObjects().contains { $0.hasSuffix("/Flicker") } == isThere)
    }
}
