extension String {
    /// The text as D-Bus can carry it: without U+0000.
    var withoutNUL: String {
        utf8.contains(0) ? String(unicodeScalars.filter { $0.value != 0 }.map(Character.init)) : self
    }
}
