/// How large a model is so far: code that reads or joins one counts first, and only then spends memory and
/// time.
package struct ModelSize {
    private var entityCount = 0
    private var propertyCount = 0

    /// Nothing yet.
    package init() {}

    /// Counts an entity that has so many properties, inherited ones included.
    ///
    /// - Throws: `ModelError.tooLarge`.
    package mutating func add(_ entity: String, properties: Int) throws(ModelError) {
        entityCount += 1
        try Self.check(entities: entityCount)
        guard properties <= Limits.properties else {
            throw .tooLarge("\(properties) properties in entity \(entity), \(Limits.properties) are allowed")
        }
        propertyCount += properties
        guard propertyCount <= Limits.allProperties else {
            throw .tooLarge(
                "\(propertyCount) properties in \(entityCount) entities, \(Limits.allProperties) are allowed")
        }
    }

    static func check(entities: Int) throws(ModelError) {
        guard entities <= Limits.entities else {
            throw .tooLarge("\(entities) entities, \(Limits.entities) are allowed")
        }
    }

    static func check(levels: Int, above entity: String) throws(ModelError) {
        guard levels <= Limits.inheritance else {
            throw .tooLarge(
                "\(entity) inherits over \(levels) levels, \(Limits.inheritance) are allowed")
        }
    }
}
