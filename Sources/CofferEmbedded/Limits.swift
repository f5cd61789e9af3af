/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Objects that a migration reads, makes and saves at once; each is a few hundred bytes, and may have
    /// values that are much larger.
    static let migrationPiece = 500

    /// Objects that break the model's rules, of which a migration tells; one or two tell what is wrong with
    /// the mapping.
    static let migrationFailures = 100
}
