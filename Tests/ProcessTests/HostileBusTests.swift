import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// The name of the error that a call is answered with.
private func errorName(
    _ connection: DBusClient, _ member: String, _ body: [DBusValue], path: String = BusNames.path,
    interface: String = BusNames.name
) throws -> String? {
    do {
        _ = try connection.call(BusNames.name, path: path, interface: interface, member: member, body: body)
        return nil
    } catch CofferDBus.DBusError.remote(let name, _) {
        return name
    }
}

@Test
func `a client that speaks as if it were the bus ends nobody's session, nor the service`() throws {
    try withWitness { service, _, _ in
        let victim = try service.busClient().connection
        let pid = try service.pid()
        for (signal, arguments) in [
            ("NameOwnerChanged", ["sss", victim.uniqueName, victim.uniqueName, ""]),
            ("NameLost", ["s", BusNames.name]),
        ] {
            let emit = try ChildProcess(
                "busctl",
                arguments: [
                    "--address=\(service.bus.address)", "emit", "--destination=\(BusNames.name)",
                    DBusName.busPath, DBusName.bus, signal,
                ] + arguments)
            #expect(try emit.waitForExit(timeout: .seconds(60)) == .code(0))
        }
        _ = try BusClient.call("ListStores", [], over: victim)
        #expect(try service.pid() == pid)
    }
}

@Test
func `calls on the bus that make no sense get the error that says why`() throws {
    try withWitness { service, _, _ in
        let properties = "org.freedesktop.DBus.Properties"
        let connection = try service.busClient().connection
        func hello(_ change: (inout HelloRequestMessage) -> Void = { _ in }) throws -> [UInt8] {
            var message = HelloRequestMessage(
                application: "org.coffer.Tests", client: UUID(), processName: "")
            change(&message)
            return try message.packed()
        }
        let code = "\(BusNames.name).Error."
        var deep = DBusValue.variant(.string("x"))
        for _ in 0..<28 { deep = .variant(deep) }
        let cases: [(String, [DBusValue], String, String, String)] = [
            ("Fetch", [], BusNames.path, BusNames.name, DBusErrorName.invalidArgs),
            ("Fetch", [.string("x")], BusNames.path, BusNames.name, DBusErrorName.invalidArgs),
            ("Fetch", [.bytes([1])], BusNames.path, BusNames.name, DBusErrorName.invalidArgs),
            ("Fetch", [deep], BusNames.path, BusNames.name, DBusErrorName.invalidArgs),
            (
                "Fetch", [.bytes([0xFF, 0xFF]), .array("h", [])], BusNames.path, BusNames.name,
                code + "InvalidArgument.malformed"
            ),
            ("OpenChannel", [.uint32(1)], BusNames.path, BusNames.name, DBusErrorName.invalidArgs),
            (
                "OpenChannel", [.bytes([0xFF])], BusNames.path, BusNames.name,
                code + "InvalidArgument.malformed"
            ),
            (
                "OpenChannel", [.bytes(try hello { $0.protocolVersion = 99 })], BusNames.path, BusNames.name,
                code + "FailedPrecondition.protocol"
            ),
            (
                "OpenChannel", [.bytes(try hello { $0.application = "" })], BusNames.path, BusNames.name,
                code + "InvalidArgument.invalid_name"
            ),
            ("SetLogLevel", [.string("loud")], BusNames.path, BusNames.name, DBusErrorName.invalidArgs),
            ("Fetch", [.bytes([]), .array("h", [])], "/", BusNames.name, DBusErrorName.unknownObject),
            ("Anything", [], BusNames.path, "org.coffer.Nothing", DBusErrorName.unknownMethod),
            (
                "Get", [.string("org.coffer.Nothing"), .string("Version")], BusNames.path, properties,
                DBusErrorName.unknownInterface
            ),
            (
                "Get", [.string(BusNames.name), .string("Nothing")], BusNames.path, properties,
                DBusErrorName.unknownProperty
            ),
            ("Get", [.uint32(7)], BusNames.path, properties, DBusErrorName.invalidArgs),
            (
                "Set", [.string(BusNames.name), .string("Version"), .variant(.string("9"))], BusNames.path,
                properties, DBusErrorName.propertyReadOnly
            ),
            (
                "Introspect", [], "\(BusNames.path)/stores/0/x/y/z", "org.freedesktop.DBus.Introspectable",
                DBusErrorName.unknownObject
            ),
        ]
        for (member, body, path, interface, expected) in cases {
            let name = try errorName(connection, member, body, path: path, interface: interface)
            #expect(name == expected, "\(member) of \(interface) at \(path)")
        }
    }
}

@Test
func `descriptors that nobody asked for are closed`() throws {
    try withWitness { service, _, _ in
        let pid = try #require(try service.pid())
        let bus = try service.busClient()
        let request = try ListStoresRequestMessage().packed()
        let memory = try Memfd.sealed(request)
        func open() throws -> Int { try Folder(at: "/proc/\(pid)/fd").names().count }
        let client = try service.channel()
        let before = try open()
        for _ in 0..<50 {
            _ = try BusClient.call(
                "ListStores", request, descriptors: Array(repeating: memory, count: 15), over: bus.connection)
            let (id, bytes) = client.frame(.listStores, request)
            var frame = bytes
            frame[20] = 16
            try client.send(frame, descriptors: Array(repeating: memory, count: 16))
            _ = try client.reply(to: id)
        }
        // The worker that answered may still have the last ones in its hands.
        try waitUntil("all but some of \(before) are closed") { try open() <= before + 16 }

        // More than its frames name: after 64 the service hangs up.
        let smuggler = try service.channel()
        for _ in 0..<5 {
            let bytes = smuggler.frame(.listStores, request).bytes
            if case .closed = try smuggler.stream.sendAll(
                [bytes], descriptors: Array(repeating: memory, count: 16))
            {
                break
            }
        }
        try smuggler.waitUntilClosed()
        try waitUntil("all but some of \(before) are closed") { try open() <= before + 16 }
    }
}

@Test
func `a Hello that is refused leaves nothing behind, and one of another application is refused`() throws {
    try withService { service in
        let connection = try service.connection()
        func hello(_ application: String, protocolVersion: UInt32 = 1) throws -> String {
            var message = HelloRequestMessage(application: application, client: UUID(), processName: "")
            message.protocolVersion = protocolVersion
            return try HelloReplyMessage(
                packed: BusClient.call("Hello", try message.packed(), over: connection)
            ).application
        }
        #expect(throws: Refusal.self) { try hello("org.coffer.First", protocolVersion: 9) }
        #expect(try hello("org.coffer.Other") == "org.coffer.Other")
        let refusal = #expect(throws: Refusal.self) { try hello("org.coffer.Third") }
        #expect(refusal?.reason == "another_application", "\(refusal as Any)")
        #expect(try hello("org.coffer.Other") == "org.coffer.Other")
        let channel = try service.channel("org.coffer.First")
        let other = HelloRequestMessage(application: "org.coffer.Third", client: UUID(), processName: "")
        let again = #expect(throws: Refusal.self) {
            let _: HelloReplyMessage = try channel.call(.hello, other)
        }
        #expect(again?.reason == "another_application", "\(again as Any)")
        let empty = #expect(throws: Refusal.self) { try service.channel("") }
        #expect(empty?.text == "'' cannot be an application: it is empty.", "\(empty as Any)")
    }
}
