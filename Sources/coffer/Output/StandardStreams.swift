import CofferLinux
import FoundationEssentials
import Glibc  // fcntl, ioctl, isatty, open, signal

/// All three of them.
enum StandardStreams {
    /// Makes writing to a stream without a reader an error that is reported, and nothing worse.
    ///
    /// A reader that has gone would end the process: an import still has to say how far it came. And the
    /// number of a stream that is closed would be given to the next file or socket, which output would be
    /// written into.
    static func secure() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is this one; it is opened for the wrong direction.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}

/// Standard output, written in large pieces.
///
/// Confined.
final class StandardOutput {
    /// Never closed: the process ends with it.
    private static let descriptor = OwnedDescriptor(owning: 1)
    private var pending: [UInt8] = []

    /// Writes a line, at the latest with `flush`.
    func write(_ line: String) throws {
        pending.append(contentsOf: line.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count > 64 << 10 { try flush() }
    }

    /// Writes bytes at once, behind what waits.
    func write(bytes: [UInt8]) throws {
        try flush()
        try Self.descriptor.writeAll(bytes)
    }

    /// Writes what waits.
    func flush() throws {
        guard !pending.isEmpty else { return }
        try Self.descriptor.writeAll(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// How many columns a person sees of it; `nil` if it is not a terminal.
    static let columns = isatty(1) == 1 ? Terminal.columns(of: 1) : nil

    /// How many lines a person sees of it at once; a usual number if that is not known.
    static var lines: Int { Terminal.lines(of: 1) }
}

extension StandardError {
    /// Whether a person reads it.
    static var isTerminal: Bool { isatty(2) == 1 }

    /// How many columns that person sees.
    static var columns: Int { Terminal.columns(of: 2) }
}

private enum Terminal {
    /// What the terminal says, else what the shell says, else what is usual.
    static func lines(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return Int(size.ws_row) }
        return CurrentProcess.environment["LINES"].flatMap { Int($0) } ?? 24
    }

    /// What the terminal says, else what the shell says, else what is usual.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return CurrentProcess.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }
}

/// Standard input.
enum StandardInput {
    /// Whether a person types it.
    static var isTerminal: Bool { isatty(0) == 1 }

    /// So many bytes are read at most, of any file that is read whole.
    static let limit = 1 << 31

    /// All of it.
    static func readAll() throws -> [UInt8] {
        try OwnedDescriptor(owning: 0).readAll(limit: limit)
    }

    /// Asks for a yes; anything else is a no, and so is the end of the input.
    static func confirms(_ question: String) -> Bool {
        StandardError.put("\(question) [y/N] ")
        if !StandardError.isTerminal { StandardError.put("\n") }
        let answer = readLine(strippingNewline: true)?.lowercased()
        return answer == "y" || answer == "yes"
    }
}
