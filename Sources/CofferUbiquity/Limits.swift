/// Bounds on what callers say of accounts.
enum Limits {
    /// Bytes of an account's name.
    static let nameByteCount = 255
    /// Bytes of the path of its folder: as many as Linux takes, without the zero behind it.
    static let pathByteCount = 4_095
    /// Accounts that are known at a time.
    static let accounts = 1_000
}
