internal import CCofferMessages
internal import CofferModel

extension StoreType {
    /// The types, by what messages call them.
    private static let wire: [(type: StoreType, value: Coffer__V1__StoreType)] = [
        (.sqlite, COFFER__V1__STORE_TYPE__STORE_TYPE_SQLITE),
        (.memory, COFFER__V1__STORE_TYPE__STORE_TYPE_MEMORY),
        (.binary, COFFER__V1__STORE_TYPE__STORE_TYPE_BINARY),
        (.xml, COFFER__V1__STORE_TYPE__STORE_TYPE_XML),
    ]

    /// What a message says; `nil` where it says nothing.
    static func read(_ value: Coffer__V1__StoreType, _ field: String) throws(WireError) -> StoreType? {
        if value == COFFER__V1__STORE_TYPE__STORE_TYPE_UNSPECIFIED { return nil }
        guard let known = wire.first(where: { $0.value == value }) else { throw .malformed(field) }
        return known.type
    }

    /// What a message says of a type, or of none.
    static func written(_ type: StoreType?) -> Coffer__V1__StoreType {
        wire.first { $0.type == type }?.value ?? COFFER__V1__STORE_TYPE__STORE_TYPE_UNSPECIFIED
    }
}
