internal import CLinux

/// The clock that never goes back; it stands still while the machine sleeps.
package enum Monotonic {
    /// Nanoseconds since some moment of this boot.
    package static var now: UInt64 { coffer_monotonic_nanoseconds() }

    /// Sleeps, whatever signals come; not for Swift's own threads.
    package static func sleep(_ time: Duration) {
        coffer_sleep(Int64(clamping: time.wholeNanoseconds))
    }
}

/// The clock of the calendar, which may be set back.
package enum WallClock {
    /// Seconds since 2001-01-01 00:00 UTC, as stores keep dates.
    package static var secondsSince2001: Double {
        Double(nanosecondsSince1970 - 978_307_200 * 1_000_000_000) / 1e9
    }

    /// Nanoseconds since 1970-01-01 00:00 UTC, as files have them.
    package static var nanosecondsSince1970: Int64 { coffer_wall_nanoseconds() }
}

extension Duration {
    /// The duration in nanoseconds, 0 if negative, and at most what 63 bits minus a century hold.
    package var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 3_000_000_000 { return 3_000_000_000_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
