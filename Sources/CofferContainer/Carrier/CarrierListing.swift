/// What objects a carrier found.
package struct CarrierListing: Equatable, Sendable {
    /// The objects, by name.
    package let objects: Set<ObjectName>
    /// What else is there that is not a carrier's own file, in the order of its names, `Limits.strangers`
    /// of them at most: conflict copies and renamed objects, and what others put there.
    package let strangers: [String]
    /// How many such there are.
    package let strangerCount: Int

    package init(objects: Set<ObjectName>, strangers: [String], strangerCount: Int) {
        self.objects = objects
        self.strangers = strangers
        self.strangerCount = strangerCount
    }
}
