/// The service's version, for people.
package enum ServiceVersion {
    package static let text = ServiceCore.version
}
