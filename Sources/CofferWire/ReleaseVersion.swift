/// The version of all that is released together: service, tools and libraries.
package enum ReleaseVersion {
    /// The version, for people.
    package static let text = "1.0"
}
