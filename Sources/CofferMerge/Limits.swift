/// Bounds on what others can make this module hold, with reasons.
package enum Limits {
    /// The last microsecond of the year 9999: later stamps are malformed, since no clock would reach them.
    package static let lastMicrosecond: Int64 = 253_402_300_799_999_999
    /// Bytes of a place that is written: those of a list that is added to at its ends have some ten.
    package static let placeByteCount = 64
}
