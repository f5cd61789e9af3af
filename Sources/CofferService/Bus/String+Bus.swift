import CofferWire

extension String {
    /// The text of an error as it goes over the bus: what a caller said is in it, and it lies there until
    /// that caller reads.
    var forBus: String { withoutNUL.clipped(toBytes: CofferWire.Limits.errorText) }

    /// The text as D-Bus can carry it: without U+0000.
    var withoutNUL: String {
        utf8.contains(0) ? String(unicodeScalars.filter { $0.value != 0 }.map(Character.init)) : self
    }
}
