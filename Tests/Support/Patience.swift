import CofferLinux

/// What was waited for did not come.
package struct TooLate: Error, CustomStringConvertible {
    /// What it was.
    package let what: String

    package var description: String { "too late: \(what)" }
}

/// Looks again and again until `isSo`, and leaves the processor to others between two looks.
///
/// For events that are not announced; one that is announced is waited for without looking.
/// - Throws: `TooLate` once `patience` has passed, and what `isSo` throws.
package func waitUntil(
    _ what: String, patience: Duration = .seconds(60), isSo: () throws -> Bool
) throws {
    let deadline = Monotonic.now + patience.wholeNanoseconds
    let pause = try EventFD()
    while try !isSo() {
        if Monotonic.now > deadline { throw TooLate(what: what) }
        _ = try pause.wait(timeout: .milliseconds(1))
    }
}
