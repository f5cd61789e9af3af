/// gRPC's status codes; the raw values travel, and the names end D-Bus error names.
package enum StatusCode: UInt16, Sendable, CaseIterable {
    case ok = 0
    case cancelled = 1
    case unknown = 2
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16

    /// The name as gRPC writes it in CamelCase: `InvalidArgument`.
    package var name: String {
        let word = String(describing: self)
        return word.prefix(1).uppercased() + word.dropFirst()
    }
}
