/// `coffer.v1.MetadataChange`: a note about a store, written with a save.
package struct MetadataChangeMessage: Sendable, Equatable {
    /// Unique in the store.
    package var key: String
    /// What it says, as a binary property list; empty where the note goes.
    package var propertyList: [UInt8]
    /// What it said when the program changed it; empty where there was none.
    package var former: [UInt8]

    /// A change from its fields.
    package init(key: String, propertyList: [UInt8] = [], former: [UInt8] = []) {
        self.key = key
        self.propertyList = propertyList
        self.former = former
    }
}
