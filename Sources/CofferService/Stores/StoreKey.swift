import CofferDBus
import CofferModel

/// What names a store for all callers.
package struct StoreKey: Sendable, Hashable {
    /// The user that the store belongs to.
    let userID: UInt32
    /// A reverse-DNS id.
    let application: String
    /// A configuration of the model.
    let configuration: String
    /// The name that the application gave.
    let name: String

    /// A key of checked names.
    ///
    /// - Throws: `ServiceError.invalidName` if one cannot be part of a path.
    package init(
        userID: UInt32, application: String, configuration: String, name: String
    ) throws(ServiceError) {
        self.userID = userID
        self.application = try Self.checked(application, "application")
        self.configuration = try Self.checked(
            configuration.isEmpty ? ManagedObjectModel.defaultConfiguration : configuration, "configuration")
        self.name = try Self.checked(name, "store name")
    }

    /// Where the store stands on the bus.
    var objectPath: String {
        DBusPath.path(BusNames.storesPath, String(userID), application, configuration, name)
    }

    /// By bytes, as files and object paths: Swift takes strings for equal that differ in their composition
    /// only.
    package static func == (left: Self, right: Self) -> Bool {
        left.userID == right.userID && left.application.utf8.elementsEqual(right.application.utf8)
            && left.configuration.utf8.elementsEqual(right.configuration.utf8)
            && left.name.utf8.elementsEqual(right.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(userID)
        // Equal bytes have equal hashes; texts that differ in their composition only may share one.
        for part in [application, configuration, name] { hasher.combine(part) }
    }

    /// For people.
    package var description: String { "\(application)/\(configuration)/\(name)" }

    private static func checked(_ name: String, _ field: String) throws(ServiceError) -> String {
        let fault: String? =
            if name.isEmpty {
                "it is empty"
            } else if name.utf8.count > Limits.name {
                "it has more than \(Limits.name) bytes"
            } else if name.hasPrefix(".") {
                "it begins with a dot"
            } else if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }) {
                "it has a slash or a control character"
            } else { nil }
        if let fault { throw .invalidName(field: field, value: name, reason: fault) }
        return name
    }
}
