/// By what objects tell which container they were made for: the first 8 bytes of a marker's id that it had.
///
/// If its content is removed, all its markers say so. So one of them is enough to know what a carrier
/// brings afterwards.
package struct ContainerMark: Hashable, Sendable {
    /// The bytes as one number, the first the most significant; never 0.
    package let number: UInt64

    /// The mark of what a marker says.
    package init?(_ container: ContainerID) { self.init(container.high) }

    /// The mark that an object has; `nil` if it has none.
    init?(_ number: UInt64) {
        if number == 0 { return nil }
        self.number = number
    }
}

/// The marks of the container that an exchange is with.
package struct ContainerMarks: Hashable, Sendable {
    /// The mark that objects get which are put there.
    package let own: ContainerMark?
    /// Marks of content that was removed there: an object with one of them belongs to it.
    package let removed: Set<ContainerMark>

    /// The marks of a container; one that no peer has begun has none.
    package init(own: ContainerMark? = nil, removed: Set<ContainerMark> = []) {
        (self.own, self.removed) = (own, removed)
    }
}
