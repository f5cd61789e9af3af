/// Bounds on what callers say of accounts, and on what is done at once.
enum Limits {
    /// Bytes of an account's name.
    static let nameByteCount = 255
    /// Bytes of the path of its folder: as many as Linux takes, without the zero behind it.
    static let pathByteCount = 4_095
    /// Accounts that are known at a time.
    static let accounts = 1_000
    /// Registers that are joined in one transaction, for which saves wait; what belongs to one record stays
    /// together.
    static let joinedRegisters = 4_000
}
