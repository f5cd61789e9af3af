/// Bounds on what a caller can make this module hold or do, with reasons.
package enum Limits {
    /// Versions of ICU that are looked for: from Debian 11 on, and as many as may come in twenty years.
    static let icuVersions = 67...110
    /// Collators that are kept: one for each locale and comparison in use.
    static let collators = 32
    /// Bytes of a locale's name.
    static let localeLength = 64
    /// Descriptors that may ride on one message; the buffer that the kernel fills with them has a fixed size.
    package static let descriptorsPerMessage = 16
    /// Descriptors that may wait in a receive buffer for the frames they belong to: four messages' worth.
    package static let waitingDescriptors = 64
    /// Byte arrays that one call sends; more wait for the next call, though the kernel takes 1024.
    package static let partsPerSend = 32
    /// Bytes that a receive buffer holds if its owner names no other limit: a 64 MiB frame and its header.
    package static let receiveBuffer = (64 << 20) + 4096
    /// What a receive buffer starts with and shrinks back to: an idle connection holds one such block.
    package static let receiveBufferAtRest = 8 << 10
    /// What a receive buffer offers the kernel at most at once, unless its owner reserved more.
    package static let receiveAtOnce = 256 << 10
    /// Events that one wait for an epoll set returns; the shim keeps them on its stack.
    package static let eventsPerWait = 64
    /// Events of watched files that one reading takes; the shim keeps them on its stack.
    package static let watchEvents = 64
    /// Bytes of a block of sealed memory: larger results travel as several.
    package static let sealedMemory = 1 << 30
    /// Bytes of one name in a folder, as Linux has it (`NAME_MAX`).
    package static let fileName = 255
    /// Bytes of one path (`PATH_MAX`, with its NUL).
    package static let path = 4095
    /// Names read from one folder: a container with more of them is damaged or hostile.
    package static let namesInFolder = 1 << 20
    /// Bytes of a file of the system or of a sandbox (`/proc/PID/status`, `.flatpak-info`).
    package static let systemFile = 64 << 10
    /// Bytes of an application's name, as D-Bus has it for the names of its peers.
    package static let applicationName = 255
    /// Bytes of one line that a child process writes; a longer one is cut there.
    package static let childLine = 1 << 20
    /// Bytes of one text for the service manager.
    package static let notification = 4 << 10
    /// Bytes of a text in an event of a trace; longer ones are cut.
    static let traceText = 160
    /// Things that an event of a trace says besides.
    static let traceArguments = 10
    /// Bytes that are written to a trace at once: so much a pipe takes whole or not at all (`PIPE_BUF`).
    static let traceWrite = 4096
    /// Bytes that may wait in the pipe of a trace, some five thousand events; as many as the kernel lets any
    /// user have.
    static let tracePipeBytes = 1 << 20
    /// Bytes that one process writes into a trace's file.
    package static let traceFileBytes = 64 << 20
}
