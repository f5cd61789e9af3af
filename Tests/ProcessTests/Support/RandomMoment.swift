import CofferLinux
import TestSupport

/// A wait for something that never comes, whose timeout is a random moment: for tests of the moment itself.
struct RandomMoment {
    private let nothing: Socket
    private let other: OwnedDescriptor

    init() throws {
        let (one, other) = try SocketPair.make()
        nothing = Socket(one)
        self.other = other
    }

    /// Returns at some moment within `microseconds`.
    func pass(within microseconds: Int, _ random: inout SeededGenerator) throws {
        let timeout = Duration.microseconds(Int.random(in: 0...microseconds, using: &random))
        _ = try nothing.waitUntilReadable(timeout: timeout)
    }
}
