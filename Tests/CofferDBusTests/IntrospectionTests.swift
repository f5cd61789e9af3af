import CofferDBus
import CofferLinux
import TestSupport
import Testing

struct IntrospectionTests {
    static let store = DBusInterfaceDescription(
        "org.coffer.Test1",
        methods: [
            DBusMethodDescription(
                "Fetch", in: [DBusArgument("request", "ay")], out: [DBusArgument("reply", "ay")],
                annotations: [DBusAnnotation("org.freedesktop.DBus.Deprecated", "true")],
                documentation: "Rows -- and\ntheir token."),
            DBusMethodDescription("Close"),
        ],
        signals: [DBusSignalDescription("Push", [DBusArgument("push", "ay")])],
        properties: [
            DBusPropertyDescription("Name", "s", changeSignal: .const),
            DBusPropertyDescription("Level", "u", access: .readwrite),
        ],
        annotations: [DBusAnnotation("org.coffer.Note", "a<b & \"c\"")], documentation: "A store.")

    @Test func `a description is rendered in one stable form`() {
        let expected = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>
              <!-- A store. -->
              <interface name="org.coffer.Test1">
                <annotation name="org.coffer.Note" value="a&lt;b &amp; &quot;c&quot;"/>
                <!--
                  Rows - - and
                  their token.
                -->
                <method name="Fetch">
                  <arg name="request" type="ay" direction="in"/>
                  <arg name="reply" type="ay" direction="out"/>
                  <annotation name="org.freedesktop.DBus.Deprecated" value="true"/>
                </method>
                <method name="Close"/>
                <signal name="Push">
                  <arg name="push" type="ay"/>
                </signal>
                <property name="Name" type="s" access="read">
                  <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="const"/>
                </property>
                <property name="Level" type="u" access="readwrite"/>
              </interface>
              <node name="a"/>
              <node name="b"/>
            </node>

            """
        let text = DBusIntrospection.xml(interfaces: [Self.store], childNodes: ["b", "a"], documented: true)
        #expect(text == expected)
        #expect(!DBusIntrospection.xml(interfaces: [Self.store]).contains("<!--"))
    }

    @Test func `standard interfaces are valid`() {
        for interface in [
            DBusInterfaceDescription.peer, .introspectable, .properties, .objectManager, Self.store,
        ] {
            #expect(interface.isValid, "\(interface.name)")
        }
        #expect(!DBusInterfaceDescription("a.b", methods: [DBusMethodDescription("x-y")]).isValid)
    }

    @Test func `busctl reads what an object shows of itself`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.connect(
            DBusHandlers(onMethodCall: { bus, call in
                let text = DBusIntrospection.xml(interfaces: [.introspectable, IntrospectionTests.store])
                let values = DBusValue.properties(["Name": .string("Notes"), "Level": .uint32(3)])
                let body = call.member == "Introspect" ? DBusValue.string(text) : values
                _ = try? bus.send(.reply(to: call, body: [body]))
            }))
        let busctl = try ChildProcess(
            "busctl",
            arguments: [
                "--address=\(bus.address)", "--no-pager", "--list", "introspect", service.uniqueName,
                "/store",
            ], output: .pipe)
        let lines = try busctl.outputLines()?.rest() ?? []
        #expect(lines.contains { $0.contains(".Fetch") && $0.contains("ay") })
        #expect(lines.contains { $0.contains(".Push") && $0.contains("signal") })
        #expect(lines.contains { $0.contains(".Name") && $0.contains("\"Notes\"") && $0.contains("const") })
        try busctl.waitForExit()
        service.close()
    }
}
