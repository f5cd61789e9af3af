import CofferLinux

/// The files of a private bus, and the environment that leads to them.
struct BusLayout {
    /// Marks every process of one bus, so that none outlives it.
    static let marker = "COFFER_TEST_BUS"

    let path: String
    let systemStyle: Bool

    var environment: [String: String] {
        let own = CurrentProcess.environment
        var environment = own.filter { name, _ in
            ["PATH", "LD_LIBRARY_PATH", "LANG", "TMPDIR", "COFFER_SEED"].contains(name)
        }
        environment[Self.marker] = path
        environment["HOME"] = "\(path)/home"
        environment["XDG_DATA_HOME"] = "\(path)/data"
        environment["XDG_CONFIG_HOME"] = "\(path)/config"
        environment["XDG_STATE_HOME"] = "\(path)/state"
        environment["XDG_CACHE_HOME"] = "\(path)/cache"
        environment["XDG_RUNTIME_DIR"] = "\(path)/runtime"
        environment[systemStyle ? "DBUS_SYSTEM_BUS_ADDRESS" : "DBUS_SESSION_BUS_ADDRESS"] =
            "unix:path=\(path)/bus"
        return environment
    }

    func write(services: [PrivateBus.Service], policy: String?) throws(LinuxError) {
        let folder = try Folder(at: path)
        for name in ["home", "data", "config", "state", "cache", "runtime", "services"] {
            _ = try folder.makeFolders(name)
        }
        for service in services {
            let line = ([service.executable] + service.arguments).map(quoted).joined(separator: " ")
            let text = "[D-BUS Service]\nName=\(service.name)\nExec=\(line)\n"
            try folder.replace("services/\(service.name).service", with: Array(text.utf8))
        }
        if let policy { try folder.replace("policy.conf", with: Array(policy.utf8)) }
        try folder.replace("bus.conf", with: Array(configuration(hasPolicy: policy != nil).utf8))
    }

    /// Quotes by the shell's rules, and then by those of the file, which has escapes of its own.
    private func quoted(_ argument: String) -> String {
        var text = "'"
        for character in argument {
            switch character {
            case "'": text += #"'\\''"#
            case "\\": text += #"\\"#
            case "\n": text += #"\n"#
            default: text.append(character)
            }
        }
        return text + "'"
    }

    private func configuration(hasPolicy: Bool) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>\(systemStyle ? "system" : "session")</type>
          <listen>unix:path=\(path)/bus</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(path)/services</servicedir>
          \(systemStyle ? Self.systemPolicy : Self.sessionPolicy + Self.sessionLimits)
          \(hasPolicy ? "<include>\(path)/policy.conf</include>" : "")
        </busconfig>
        """
    }

    private static let sessionPolicy = """
        <policy context="default">
          <allow user="*"/>
          <allow own="*"/>
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
        </policy>
        """

    /// Those of the configuration that the bus is installed with; without them it is as strict as the
    /// system's.
    private static let sessionLimits = """
        <limit name="max_incoming_bytes">1000000000</limit>
        <limit name="max_incoming_unix_fds">250000000</limit>
        <limit name="max_outgoing_bytes">1000000000</limit>
        <limit name="max_outgoing_unix_fds">250000000</limit>
        <limit name="max_message_size">1000000000</limit>
        <limit name="service_start_timeout">120000</limit>
        <limit name="max_completed_connections">100000</limit>
        <limit name="max_connections_per_user">100000</limit>
        <limit name="max_names_per_connection">50000</limit>
        <limit name="max_match_rules_per_connection">50000</limit>
        <limit name="max_replies_per_connection">50000</limit>
        """

    private static let systemPolicy = """
        <policy context="default">
          <allow user="*"/>
          <deny own="*"/>
          <deny send_type="method_call"/>
          <allow send_type="signal"/>
          <allow send_requested_reply="true" send_type="method_return"/>
          <allow send_requested_reply="true" send_type="error"/>
          <allow receive_type="method_call"/>
          <allow receive_type="method_return"/>
          <allow receive_type="error"/>
          <allow receive_type="signal"/>
          <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
          <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Introspectable"/>
          <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
          <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Peer"/>
          <deny send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"
                send_member="UpdateActivationEnvironment"/>
        </policy>
        """
}
