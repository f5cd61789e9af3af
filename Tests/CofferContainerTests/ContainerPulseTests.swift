import CofferContainer
import CofferLinux
import CofferMerge
import Synchronization
import TestSupport
import Testing

@Suite struct `A container's pulse` {
    @Test func `tells of what was put there, long before it would scan`() throws {
        try withTemporaryFolder { root in
            let carrier = try FolderCarrier(root: root, path: "notes/main")
            let other = try FolderCarrier(root: root, path: "notes/main")
            try carrier.put(ContainerObject(.part, content: [1]))
            let count = ConditionLock(0)
            let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .seconds(86_400))
            let pulse = try ContainerPulse(carrier, pauses: pauses) { _ in
                count.withLock { $0 += 1 }
                count.broadcast()
                return nil
            }
            #expect(count.wait(timeout: .seconds(60)) { $0 > 0 ? true : nil } == true, "it looks at once")
            try other.put(ContainerObject(.part, content: [2]))
            #expect(count.wait(timeout: .seconds(60)) { $0 > 1 ? true : nil } == true)
            let before = count.withLock { $0 }
            pulse.hurry()
            #expect(count.wait(timeout: .seconds(60)) { $0 > before ? true : nil } == true)
        }
    }

    @Test func `watches a folder that its first look makes`() throws {
        try withTemporaryFolder { root in
            let carrier = try FolderCarrier(root: root, path: "notes/main")
            let count = ConditionLock(0)
            let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .seconds(86_400))
            let pulse = try ContainerPulse(carrier, pauses: pauses) { _ in
                try? carrier.put(ContainerObject(.part, content: [1]))
                count.withLock { $0 += 1 }
                count.broadcast()
                return nil
            }
            #expect(count.wait(timeout: .seconds(60)) { $0 > 1 ? true : nil } == true, "it looks again")
            let before = count.withLock { $0 }
            try FolderCarrier(root: root, path: "notes/main").put(ContainerObject(.part, content: [2]))
            #expect(count.wait(timeout: .seconds(60)) { $0 > before ? true : nil } == true)
            withExtendedLifetime(pulse) {}
        }
    }

    @Test func `scans where nothing can be watched`() throws {
        let carrier = try FolderCarrier(root: "/nowhere", path: "notes/main")
        let count = ConditionLock(0)
        let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .milliseconds(1))
        let pulse = try ContainerPulse(carrier, pauses: pauses) { _ in
            count.withLock { $0 += 1 }
            count.broadcast()
            return nil
        }
        #expect(count.wait(timeout: .seconds(60)) { $0 > 3 ? true : nil } == true)
        withExtendedLifetime(pulse) {}
    }

    @Test func `comes again as soon as the look before asks for`() throws {
        let carrier = try FolderCarrier(root: "/nowhere", path: "notes/main")
        let count = ConditionLock(0)
        let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .seconds(86_400))
        let pulse = try ContainerPulse(carrier, pauses: pauses) { _ in
            let times = count.withLock { count in
                count += 1
                return count
            }
            count.broadcast()
            return times < 3 ? .milliseconds(1) : nil
        }
        #expect(count.wait(timeout: .seconds(60)) { $0 == 3 ? true : nil } == true)
        withExtendedLifetime(pulse) {}
    }

    /// A pulse, and what it was asked to look at.
    private final class Looks: Sendable {
        private let looks = ConditionLock<[ContainerPulse.Look]>([])
        private let pulse: Mutex<ContainerPulse?> = Mutex(nil)

        init(_ carrier: FolderCarrier, retry: Duration? = nil) throws {
            let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .seconds(86_400))
            let made = try ContainerPulse(carrier, pauses: pauses) { [looks] look in
                looks.withLock { $0.append(look) }
                looks.broadcast()
                return retry
            }
            pulse.withLock { $0 = made }
        }

        func hurrySave() { pulse.withLock { $0?.hurrySave() } }

        /// Waits for the next look after so many.
        func next(after count: Int) throws -> ContainerPulse.Look {
            try #require(looks.wait(timeout: .seconds(60)) { $0.count > count ? $0[count] : nil })
        }
    }

    @Test func `tells which objects others put there, and nothing of one's own`() throws {
        try withTemporaryFolder { root in
            let carrier = try FolderCarrier(root: root, path: "notes/main")
            let other = try FolderCarrier(root: root, path: "notes/main")
            try carrier.put(ContainerObject(.part, content: [1]))
            let looks = try Looks(carrier)
            #expect(try looks.next(after: 0) == .whole)
            // Nothing would tell that a look does not come: so the next one shows what was told until then.
            try carrier.put(ContainerObject(.part, content: [2]))
            try carrier.remove([ContainerObject(.part, content: [1]).packed().name])
            let object = ContainerObject(.part, content: [3])
            try other.put(object)
            #expect(try looks.next(after: 1) == .objects([object.packed().name]))
            looks.hurrySave()
            #expect(try looks.next(after: 2) == .objects([]))
            // What one put there, and another takes away, is told.
            try other.remove([ContainerObject(.part, content: [2]).packed().name])
            let gone = ContainerObject(.part, content: [2]).packed().name
            #expect(try looks.next(after: 3) == .objects([gone]))
        }
    }

    @Test func `looks at all when a pause has passed, however often something is saved`() throws {
        try withTemporaryFolder { root in
            let carrier = try FolderCarrier(root: root, path: "notes/main")
            try carrier.put(ContainerObject(.part, content: [1]))
            let looks = try Looks(carrier, retry: .milliseconds(50))
            #expect(try looks.next(after: 0) == .whole)
            // Without a pause between them there are more than have room in 50 ms.
            let isWhole = try (1..<50_000).contains { count in
                looks.hurrySave()
                return try looks.next(after: count) == .whole
            }
            #expect(isWhole)
        }
    }
}
