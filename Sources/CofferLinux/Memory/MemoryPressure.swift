internal import CLinux

/// Tells when processes wait for memory; the kernel's pressure stall information.
///
/// Nothing runs in this process until then.
package final class MemoryPressure: Sendable {
    /// Some process waited for memory for 150 ms of two seconds; the least span that the kernel measures for everybody.
    private static let trigger = "some 150000 2000000\0"

    private let descriptor: OwnedDescriptor

    /// `nil` where the kernel has no such thing, or not for us.
    package init?(path: String = "/proc/pressure/memory") {
        let flags = OpenFlags.readWrite.rawValue | OpenFlags.nonBlocking.rawValue
        let number = unsafe coffer_open(path, flags, 0)
        guard number >= 0 else { return nil }
        descriptor = OwnedDescriptor(owning: number)
        do throws(LinuxError) {
            try descriptor.writeAll(Array(Self.trigger.utf8))
        } catch {
            return nil
        }
    }

    /// The descriptor to watch, for `EpollEvents.urgent`.
    package var number: Int32 { descriptor.number }
}
