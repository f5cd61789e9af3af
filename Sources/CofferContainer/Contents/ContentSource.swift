/// Where content was written, which tells how far it is trusted.
package enum ContentSource: Sendable {
    /// In a container: anybody may have written it, so that its lengths are bounded.
    case container
    /// In the store's own file, which is read whatever its lengths: a bound that came later would close it.
    case ownFile
}
