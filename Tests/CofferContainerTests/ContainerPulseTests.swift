import CofferContainer
import CofferLinux
import CofferMerge
import TestSupport
import Testing

@Suite struct `A container's pulse` {
    @Test func `tells of what was put there, long before it would scan`() throws {
        try withTemporaryFolder { root in
            let carrier = try FolderCarrier(root: root, path: "notes/main")
            try carrier.put(ContainerObject(.part, content: [1]))
            let count = ConditionLock(0)
            let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .seconds(86_400))
            let pulse = try ContainerPulse(carrier, pauses: pauses) {
                count.withLock { $0 += 1 }
                count.broadcast()
                return nil
            }
            #expect(count.wait(timeout: .seconds(60)) { $0 > 0 ? true : nil } == true, "it looks at once")
            try carrier.put(ContainerObject(.part, content: [2]))
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
            let pulse = try ContainerPulse(carrier, pauses: pauses) {
                try? carrier.put(ContainerObject(.part, content: [1]))
                count.withLock { $0 += 1 }
                count.broadcast()
                return nil
            }
            #expect(count.wait(timeout: .seconds(60)) { $0 > 1 ? true : nil } == true, "it looks again")
            let before = count.withLock { $0 }
            try carrier.put(ContainerObject(.part, content: [2]))
            #expect(count.wait(timeout: .seconds(60)) { $0 > before ? true : nil } == true)
            withExtendedLifetime(pulse) {}
        }
    }

    @Test func `scans where nothing can be watched`() throws {
        let carrier = try FolderCarrier(root: "/nowhere", path: "notes/main")
        let count = ConditionLock(0)
        let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .milliseconds(1))
        let pulse = try ContainerPulse(carrier, pauses: pauses) {
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
        let pulse = try ContainerPulse(carrier, pauses: pauses) {
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
}
