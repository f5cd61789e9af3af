import CofferDBus

/// The service's interfaces as the files in dbus/ describe them.
package enum InterfaceDocuments {
    private static let interfaces = [
        ManagerInterface.table.description, StoreInterface.table.description,
        UbiquitousStoreInterface.table.description, ClientInterface.table.description,
        AccountListInterface.table.description, AccountInterface.table.description,
    ]

    /// The names of the interfaces, each that of a file.
    package static var names: [String] { interfaces.map(\.name) }

    /// The introspection document of one interface, with what it is for in comments; `nil` for a name that is
    /// none.
    package static func xml(of name: String) -> String? {
        interfaces.first { $0.name == name }.map {
            DBusIntrospection.xml(interfaces: [$0], documented: true)
        }
    }
}
