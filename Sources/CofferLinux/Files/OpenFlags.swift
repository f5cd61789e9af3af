internal import CLinux

/// How a file is opened; without `writeOnly` or `readWrite`, for reading.
package struct OpenFlags: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// For reading; the same as no flag.
    package static let readOnly: OpenFlags = []
    package static let writeOnly = OpenFlags(rawValue: coffer_o_wronly)
    package static let readWrite = OpenFlags(rawValue: coffer_o_rdwr)
    /// Makes the file if there is none.
    package static let create = OpenFlags(rawValue: coffer_o_creat)
    /// With `create`, fails if the file is there.
    package static let exclusive = OpenFlags(rawValue: coffer_o_excl)
    /// Empties the file.
    package static let truncate = OpenFlags(rawValue: coffer_o_trunc)
    /// Every write goes to the end.
    package static let append = OpenFlags(rawValue: coffer_o_append)
    /// Only names the place: nothing can be read or written.
    package static let pathOnly = OpenFlags(rawValue: coffer_o_path)
    /// Fails if the path is not a folder.
    package static let directory = OpenFlags(rawValue: coffer_o_directory)
    /// Does not wait, whatever kind of file it is.
    package static let nonBlocking = OpenFlags(rawValue: coffer_o_nonblock)
    /// Fails if the last component is a symbolic link.
    package static let noFollow = OpenFlags(rawValue: coffer_o_nofollow)
}
