internal import Glibc

/// The functions of the system's ICU that are used; safe, since they are called with what they take only,
/// here and in `Collator`.
@safe struct ICU: Sendable {
    typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int32>) -> OpaquePointer?
    typealias Close = @convention(c) (OpaquePointer) -> Void
    typealias SetAttribute =
        @convention(c) (OpaquePointer, Int32, Int32, UnsafeMutablePointer<Int32>) -> Void
    typealias SortKey =
        @convention(c) (OpaquePointer, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<UInt8>?, Int32) ->
        Int32
    typealias Version = @convention(c) (UnsafeMutablePointer<UInt8>) -> Void

    let open: Open
    let close: Close
    let setAttribute: SetAttribute
    let sortKey: SortKey
    let version: String

    /// The library, which stays open; `nil` if the system has none.
    static let shared: ICU? = {
        for number in Limits.icuVersions.reversed() {
            // The names of its functions end with its number.
            guard let library = unsafe dlopen("libicui18n.so.\(number)", RTLD_NOW | RTLD_LOCAL) else {
                continue
            }
            if let icu = unsafe ICU(library, suffix: "_\(number)") { return icu }
        }
        return nil
    }()

    private init?(_ library: UnsafeMutableRawPointer, suffix: String) {
        guard let open = unsafe dlsym(library, "ucol_open" + suffix),
            let close = unsafe dlsym(library, "ucol_close" + suffix),
            let setAttribute = unsafe dlsym(library, "ucol_setAttribute" + suffix),
            let sortKey = unsafe dlsym(library, "ucol_getSortKey" + suffix),
            let getVersion = unsafe dlsym(library, "u_getVersion" + suffix)
        else { return nil }
        unsafe self.open = unsafeBitCast(open, to: Open.self)
        unsafe self.close = unsafeBitCast(close, to: Close.self)
        unsafe self.setAttribute = unsafeBitCast(setAttribute, to: SetAttribute.self)
        unsafe self.sortKey = unsafeBitCast(sortKey, to: SortKey.self)
        var parts: [UInt8] = [0, 0, 0, 0]
        unsafe unsafeBitCast(getVersion, to: Version.self)(&parts)
        version = "\(parts[0]).\(parts[1])"
    }
}

/// One collator of ICU; safe, since it is changed only before others see it, and ICU reads it from any thread
/// then.
@safe package final class Collator: Sendable {
    /// Bytes of a key that are made without asking for its length first, which costs as much as to make it.
    private static let usualLength = 256

    private let icu: ICU
    // Guarded by being complete: ICU's functions that are called with it from now on only read it.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// `nil` if ICU has no memory.
    init?(_ icu: ICU, locale: String, rules: Collation.Rules) {
        var status: Int32 = 0
        guard let handle = unsafe icu.open(locale, &status), status <= 0 else { return nil }
        self.icu = icu
        unsafe self.handle = handle
        let (strength, secondary, numeric, normalization, on): (Int32, Int32, Int32, Int32, Int32) = (
            5, 1, 7, 4, 17
        )
        unsafe icu.setAttribute(handle, normalization, on, &status)
        if rules != .localized { unsafe icu.setAttribute(handle, strength, secondary, &status) }
        if rules == .standard { unsafe icu.setAttribute(handle, numeric, on, &status) }
    }

    deinit { unsafe icu.close(handle) }

    /// The key of a text, without the zero that ends it.
    package func key(_ text: String) -> [UInt8] {
        let units = Array(text.utf16)
        let count = Int32(clamping: units.count)
        var length = 0
        let usual = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.usualLength) {
            buffer in
            length = unsafe Int(icu.sortKey(handle, units, count, buffer.baseAddress, Int32(buffer.count)))
            return unsafe length > buffer.count ? [] : Array(buffer[..<max(0, length - 1)])
        }
        if length <= Self.usualLength { return usual }
        return unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            let made = unsafe Int(icu.sortKey(handle, units, count, buffer.baseAddress, Int32(length)))
            filled = max(0, min(length, made) - 1)
        }
    }
}
