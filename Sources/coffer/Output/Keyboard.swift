import Glibc  // poll, read, tcgetattr, tcsetattr

/// Keys of a terminal as they are pressed, until it goes; then the terminal is as it was.
///
/// Confined; at most one at a time.
final class Keyboard {
    private var former = termios()

    /// Takes over the keys of standard input; `nil` if that is not a terminal.
    init?() {
        guard StandardInput.isTerminal, unsafe tcgetattr(0, &former) == 0 else { return nil }
        var raw = former
        // Ctrl-C is a key, too: a program that is ended by it leaves the terminal as it is.
        raw.c_lflag &= ~(tcflag_t(ICANON) | tcflag_t(ECHO) | tcflag_t(ISIG))
        guard unsafe tcsetattr(0, TCSANOW, &raw) == 0 else { return nil }
    }

    deinit { _ = unsafe tcsetattr(0, TCSANOW, &former) }

    /// The next key; `nil` if none is pressed in time.
    func key(within milliseconds: Int32) -> Character? {
        var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&descriptor, 1, milliseconds) == 1 else { return nil }
        var byte: UInt8 = 0
        guard unsafe read(0, &byte, 1) == 1 else { return "q" }  // The terminal is gone.
        if byte == 3 { return "q" }
        return Character(UnicodeScalar(byte))
    }
}
