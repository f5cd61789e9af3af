/// Validity of names, by the rules of the D-Bus specification.
package enum DBusName {
    /// The name and main interface of the bus itself.
    package static let bus = "org.freedesktop.DBus"
    /// The object of the bus itself.
    package static let busPath = "/org/freedesktop/DBus"

    /// Whether `name` is a unique (`:1.5`) or well-known (`org.coffer.Storage1`) bus name.
    package static func isBusName(_ name: String) -> Bool {
        if name.utf8.first == UInt8(ascii: ":") {
            return isDotted(name.dropFirst().utf8, total: name.utf8.count, hyphens: true, leadingDigits: true)
        }
        return isWellKnownName(name)
    }

    /// Whether `name` can be requested from the bus.
    package static func isWellKnownName(_ name: String) -> Bool {
        isDotted(name[...].utf8, total: name.utf8.count, hyphens: true, leadingDigits: false)
    }

    /// Whether `name` is an interface name.
    package static func isInterface(_ name: String) -> Bool {
        isDotted(name[...].utf8, total: name.utf8.count, hyphens: false, leadingDigits: false)
    }

    /// Whether `name` is an error name; the rules are those of interfaces.
    package static func isError(_ name: String) -> Bool { isInterface(name) }

    /// Whether `name` is a name of a method or signal.
    package static func isMember(_ name: String) -> Bool {
        let bytes = name[...].utf8
        guard bytes.count <= Limits.nameByteCount else { return false }
        return isElement(bytes, hyphens: false, leadingDigits: false)
    }

    private static func isDotted(_ name: Substring.UTF8View, total: Int, hyphens: Bool, leadingDigits: Bool)
        -> Bool
    {
        guard total <= Limits.nameByteCount else { return false }
        let elements = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard elements.count >= 2 else { return false }
        return elements.allSatisfy { isElement($0, hyphens: hyphens, leadingDigits: leadingDigits) }
    }

    private static func isElement(_ element: Substring.UTF8View, hyphens: Bool, leadingDigits: Bool) -> Bool {
        guard let first = element.first, leadingDigits || !isDigit(first) else { return false }
        return element.allSatisfy { isWord($0) || (hyphens && $0 == UInt8(ascii: "-")) }
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether `byte` is an ASCII letter, a digit or an underscore.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default: isDigit(byte)
        }
    }
}
