internal import CofferStores

extension StoreError {
    /// Whether what was to be written is at fault, as far as can be told, and other things can be written.
    ///
    /// All else is the matter of the file, of its disk or of this process, and may be over in a while.
    var isOfContent: Bool {
        switch self {
        case .unknownEntity, .unknownProperty, .wrongType, .unknownObject, .unreservedKeys, .unsupported,
            .malformedRequest, .foreignSQLTooSlow, .takenBack, .predicate, .notInStore, .tooLarge,
            .metadataConflict,
            .other:
            true
        default: false
        }
    }
}
