internal import CLinux

/// What a name in a folder stands for.
package enum FileKind: Equatable, Sendable {
    case file
    case folder
    case symbolicLink
    case other
}

/// What the file system knows of a file; `stat(2)`.
package struct FileFacts: Equatable, Sendable {
    /// What it is.
    package let kind: FileKind
    /// How long it is.
    package let byteCount: Int
    /// How much of the disk or the memory it takes: less than `byteCount` if it has holes.
    package let allocatedByteCount: Int
    /// With `inode`, which file it is, whatever its name.
    package let device: UInt64
    /// With `device`, which file it is, whatever its name.
    package let inode: UInt64
    /// How many names it has.
    package let linkCount: Int
    /// Which users may do what with it, the low 12 bits of its mode.
    package let permissions: UInt32
    /// The uid of its owner.
    package let owner: UInt32
    /// When it was last written, in nanoseconds since 1970-01-01 00:00 UTC.
    package let modifiedNanoseconds: Int64

    init(_ facts: coffer_file_facts) {
        kind =
            switch facts.mode & coffer_s_ifmt {
            case coffer_s_ifreg: .file
            case coffer_s_ifdir: .folder
            case coffer_s_iflnk: .symbolicLink
            default: .other
            }
        byteCount = Int(facts.size)
        allocatedByteCount = Int(facts.allocated)
        device = facts.device
        inode = facts.inode
        linkCount = Int(facts.links)
        permissions = facts.mode & 0o7777
        owner = facts.owner
        modifiedNanoseconds = facts.modified_nanoseconds
    }
}

/// What kind of file system a folder is on, by the numbers of `statfs(2)`.
package enum FileSystemKind: Equatable, Sendable {
    /// On a disk of this machine, or of a kind we do not know.
    case local
    /// In memory of this machine.
    case memory
    /// Shared over a network: locks and memory maps cannot be trusted.
    case network(name: String)
    /// Served by a process; whether over a network is not known.
    case userSpace

    init(type: Int64) {
        let networks: [Int64: String] = [
            0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB", 0xFF53_4D42: "CIFS", 0x5346_414F: "AFS",
            0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x564C: "NCP", 0x0102_1997: "9P", 0x00C3_6400: "Ceph",
            0x0116_1970: "GFS2", 0x7461_636F: "OCFS2", 0x0BD0_0BD0: "Lustre",
        ]
        self =
            switch type {
            case 0x6573_5546: .userSpace
            case 0x0102_1994, 0x8584_58F6: .memory  // tmpfs, ramfs
            default: networks[type].map { .network(name: $0) } ?? .local
            }
    }
}
