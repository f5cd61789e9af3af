/// The interfaces of the D-Bus specification that a service's objects have.
extension DBusInterfaceDescription {
    /// `org.freedesktop.DBus.Peer`, which libdbus answers on every path.
    package static let peer = DBusInterfaceDescription(
        "org.freedesktop.DBus.Peer",
        methods: [
            DBusMethodDescription("Ping"),
            DBusMethodDescription("GetMachineId", out: [DBusArgument("machine_uuid", "s")]),
        ])

    /// `org.freedesktop.DBus.Introspectable`.
    package static let introspectable = DBusInterfaceDescription(
        "org.freedesktop.DBus.Introspectable",
        methods: [DBusMethodDescription("Introspect", out: [DBusArgument("xml_data", "s")])])

    /// `org.freedesktop.DBus.Properties`.
    package static let properties = DBusInterfaceDescription(
        "org.freedesktop.DBus.Properties",
        methods: [
            DBusMethodDescription(
                "Get", in: [DBusArgument("interface_name", "s"), DBusArgument("property_name", "s")],
                out: [DBusArgument("value", "v")]),
            DBusMethodDescription(
                "Set",
                in: [
                    DBusArgument("interface_name", "s"), DBusArgument("property_name", "s"),
                    DBusArgument("value", "v"),
                ]),
            DBusMethodDescription(
                "GetAll", in: [DBusArgument("interface_name", "s")],
                out: [DBusArgument("properties", "a{sv}")]),
        ],
        signals: [
            DBusSignalDescription(
                "PropertiesChanged",
                [
                    DBusArgument("interface_name", "s"), DBusArgument("changed_properties", "a{sv}"),
                    DBusArgument("invalidated_properties", "as"),
                ])
        ])

    /// `org.freedesktop.DBus.ObjectManager`.
    package static let objectManager = DBusInterfaceDescription(
        "org.freedesktop.DBus.ObjectManager",
        methods: [
            DBusMethodDescription("GetManagedObjects", out: [DBusArgument("objects", "a{oa{sa{sv}}}")])
        ],
        signals: [
            DBusSignalDescription(
                "InterfacesAdded",
                [DBusArgument("object_path", "o"), DBusArgument("interfaces", "a{sa{sv}}")]),
            DBusSignalDescription(
                "InterfacesRemoved", [DBusArgument("object_path", "o"), DBusArgument("interfaces", "as")]),
        ])
}
