import CofferModel

/// The model that all of Coffer's systems share.
enum ContactModel {
    /// The entity's name.
    static let entity = "Contact"
    /// What the workers call themselves to the service.
    static let application = "org.coffer.Bench"

    /// The model: one entity with eight attributes, the e-mail unique and so indexed.
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity(entity) {
                Field("firstName", .string)
                Field("lastName", .string)
                Field("email", .string)
                Field("phone", .string)
                Field("city", .string)
                Field("age", .integer32)
                Field("balance", .double)
                Field("created", .date)
                Unique("email")
            }
        }
    }
}
