internal import CLinux
import FoundationEssentials

/// Tells when processes wait for memory; the kernel's pressure stall information, or what a service manager
/// gives instead of it.
///
/// Nothing runs in this process until then.
///
/// Source: systemd.io/MEMORY_PRESSURE, where `MEMORY_PRESSURE_WATCH` names a file and `MEMORY_PRESSURE_WRITE`
/// what is to be written into it.
package final class MemoryPressure: Sendable {
    /// Some process waited for memory for 150 ms of two seconds; the least span that the kernel measures for
    /// everybody.
    private static let trigger = "some 150000 2000000\0"
    /// The pressure of the whole machine.
    private static let machine = "/proc/pressure/memory"

    private let descriptor: OwnedDescriptor
    /// Whether the descriptor is one of the kernel's, and not one end of a pipe.
    private let isFromKernel: Bool

    /// Watches what the environment names; the whole machine if it names nothing.
    ///
    /// A service manager names the pressure in the service's own control group, where limits for it alone
    /// show first. The result is `nil` if the environment names `/dev/null`, which turns this off, or
    /// something that is neither file nor pipe. It is also `nil` if the kernel has no such thing, or does not
    /// let this process use it.
    package convenience init?(environment: [String: String]) {
        guard let path = environment["MEMORY_PRESSURE_WATCH"], !path.isEmpty else {
            self.init(path: Self.machine)
            return
        }
        if path == "/dev/null" { return nil }
        guard let text = environment["MEMORY_PRESSURE_WRITE"] else {
            self.init(path: path, first: [])
            return
        }
        guard let bytes = Data(base64Encoded: text) else { return nil }
        self.init(path: path, first: Array(bytes))
    }

    /// Watches a pressure file of the kernel's.
    package convenience init?(path: String) {
        self.init(path: path, first: Array(Self.trigger.utf8))
    }

    /// Opens a file or pipe and writes into it what is to be written first.
    private init?(path: String, first: [UInt8]) {
        // A process that opens a pipe for both never sees its end, however many writers come and go.
        let flags = OpenFlags.readWrite.rawValue | OpenFlags.nonBlocking.rawValue
        let number = unsafe coffer_open(path, flags, 0)
        guard number >= 0 else { return nil }
        descriptor = OwnedDescriptor(owning: number)
        do throws(LinuxError) {
            isFromKernel = try descriptor.facts().kind == .file
            if !first.isEmpty { try descriptor.writeAll(first) }
        } catch {
            return nil
        }
    }

    /// The descriptor to watch.
    package var number: Int32 { descriptor.number }

    /// What to watch it for.
    package var events: EpollEvents { isFromKernel ? .urgent : .readable }

    /// Takes out what tells of pressure, so that the next time is told too; call it before acting on it.
    package func drain() {
        if isFromKernel { return }  // Told once for each span of time.
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let size = MemoryLayout.size(ofValue: bytes)
        while unsafe coffer_read(descriptor.number, &bytes, size) > 0 {}
    }
}
