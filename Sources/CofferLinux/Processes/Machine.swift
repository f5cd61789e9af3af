/// What tells this machine from others, and its time since the last boot from the times before.
package enum Machine {
    /// The machine's id, from `/etc/machine-id`; empty if it has none.
    package static var id: String { text("machine-id", in: "/etc") }

    /// The boot's id, from `/proc/sys/kernel/random/boot_id`; empty if the kernel does not tell it.
    package static var boot: String { text("boot_id", in: "/proc/sys/kernel/random") }

    private static func text(_ name: String, in folder: String) -> String {
        // Containers and sandboxes may lack the file.
        guard let bytes = try? Folder(at: folder).read(name, limit: Limits.systemFile) else { return "" }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
