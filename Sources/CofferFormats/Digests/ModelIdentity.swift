/// What names a model on the wire, in stores and in the service's registry.
package enum ModelIdentity {
    /// The id of a model: the SHA-256 of its canonical message, a packed `coffer.v1.Model`.
    package static func id(ofMessage bytes: [UInt8]) -> [UInt8] {
        SHA256.digest(of: bytes)
    }
}
