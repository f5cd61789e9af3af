/// An object that is not kept alive, for collections and locks.
package struct Weak<Object: AnyObject & Sendable>: Sendable {
    /// The object; `nil` once it is gone, and if there was none.
    package weak var object: Object?

    /// Refers to `object`.
    package init(_ object: Object? = nil) { self.object = object }
}
