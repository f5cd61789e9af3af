package import CofferDBus

/// The match rules by which the bus tells when a caller goes.
///
/// Each has one of its own, for an idle service must not wake for everybody else on the bus; but a bus allows
/// a connection only so many (512 on the system's), so that those beyond a limit have one together, for all
/// names that vanish.
package struct NameWatch {
    private let limit: Int
    private var own: Set<String> = []
    private var together: Set<String> = []

    /// Rules of which at most `limit` are for one caller each.
    package init(limit: Int) { self.limit = limit }

    /// Adds a caller; says which rule is to be added for it, if it needs one.
    package mutating func add(_ name: String) -> DBusMatch? {
        if own.count < limit {
            own.insert(name)
            return .nameOwnerChanged(name)
        }
        together.insert(name)
        return together.count == 1 ? .nameVanished : nil
    }

    /// Removes a caller; says which rule is to be removed, if it was the last that needed it.
    package mutating func remove(_ name: String) -> DBusMatch? {
        if own.remove(name) != nil { return .nameOwnerChanged(name) }
        return together.remove(name) != nil && together.isEmpty ? .nameVanished : nil
    }

    /// Notes that the bus has not added a rule; says which callers it was for.
    package mutating func refused(_ match: DBusMatch, for name: String) -> Set<String> {
        if own.remove(name) != nil { return [name] }
        defer { together = [] }
        return together
    }
}
