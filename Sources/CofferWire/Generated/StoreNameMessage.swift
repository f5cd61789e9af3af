// Made by Protos/generate: do not edit.

internal import CCofferMessages
internal import CofferModel

/// Which store of the caller's is meant.
///
/// `coffer.v1.StoreName`.
package struct StoreNameMessage: Sendable, Hashable {
    /// Empty: the caller's own.
    package var application: String
    /// `Default` if empty.
    package var configuration: String
    /// Unique in the application and configuration; becomes the name of the file.
    package var name: String

    /// A message from its fields.
    package init(
        application: String = "", configuration: String = ManagedObjectModel.defaultConfiguration,
        name: String
    ) {
        self.application = application
        self.configuration = configuration
        self.name = name
    }
}

extension StoreNameMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreName>) {
        unsafe coffer__v1__store_name__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreName>) throws(WireError) {
        let c = unsafe message.pointee
        application = try unsafe c.application.text("coffer.v1.StoreName.application")
        configuration =
            try unsafe c.configuration.optionalText("coffer.v1.StoreName.configuration")
            ?? ManagedObjectModel.defaultConfiguration
        name = try unsafe c.name.text("coffer.v1.StoreName.name")
    }

    func fill(_ c: inout Coffer__V1__StoreName, in arena: inout PackArena) {
        unsafe c.application = arena.text(application)
        unsafe c.configuration = arena.text(configuration)
        unsafe c.name = arena.text(name)
    }
}
