import CofferDBus
import CofferLinux
import CofferService
import TestSupport
import Testing

/// The folder `dbus` of the sources.
private let folder = "\(#filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined())/dbus"

@Test(arguments: InterfaceDocuments.names)
func `the files in dbus describe the interfaces as they are`(name: String) throws {
    let wanted = try #require(InterfaceDocuments.xml(of: name))
    let files = try Folder(at: folder)
    if CurrentProcess.environment["COFFER_WRITE_INTERFACES"] != nil {
        try files.replace("\(name).xml", with: Array(wanted.utf8))
    }
    let found = String(decoding: try files.read("\(name).xml", limit: 1 << 20), as: UTF8.self)
    #expect(
        found == wanted,
        "make it again: COFFER_WRITE_INTERFACES=1 swift test --filter ProcessTests.InterfaceTests")
}

@Test
func `the folders of stores and clients can be introspected while they are empty`() throws {
    try withService { service in
        let connection = try service.connection()
        for folder in ["stores", "clients"].map({ "\(BusNames.path)/\($0)" }) {
            let reply = try connection.call(
                BusNames.name, path: folder, interface: "org.freedesktop.DBus.Introspectable",
                member: "Introspect")
            #expect(try reply.argument(0, \.stringValue).contains("<node"), "\(folder)")
        }
    }
}

@Test
func `the service introspects as the files say`() throws {
    try withService { service in
        let client = try service.channel()
        _ = try client.open()
        let connection = try service.connection()
        let objects = try ServiceUnderTest.managedObjects(over: connection)
        let store = try #require(objects.first { $0.contains("/stores/") })
        let session = try #require(objects.first { $0.contains("/clients/") })
        for (path, name) in [
            (BusNames.path, BusNames.name), (store, "\(BusNames.name).Store"),
            (session, "\(BusNames.name).Client"),
        ] {
            let reply = try connection.call(
                BusNames.name, path: path, interface: "org.freedesktop.DBus.Introspectable",
                member: "Introspect")
            let live = try reply.argument(0, \.stringValue)
            let document = try #require(InterfaceDocuments.xml(of: name))
            #expect(
                interfaceLines(name, in: live) == interfaceLines(name, in: document), "\(name) at \(path)")
            let properties = try [name, ""].map { asked in
                let all = try connection.call(
                    BusNames.name, path: path, interface: "org.freedesktop.DBus.Properties",
                    member: "GetAll", body: [.string(asked)])
                return try all.argument(0, \.propertyValues).keys.sorted()
            }
            #expect(properties[0] == properties[1] && !properties[0].isEmpty, "any interface is this one")
        }
    }
}

/// The lines of one interface without comments.
private func interfaceLines(_ name: String, in document: String) -> [String] {
    let lines = document.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
    let code = lines.filter { !$0.hasPrefix("<!--") }
    guard let start = code.firstIndex(of: "<interface name=\"\(name)\">") else { return [] }
    return Array(code[start...].prefix { $0 != "</interface>" })
}
