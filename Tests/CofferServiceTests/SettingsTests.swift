import CofferService
import FoundationEssentials
import TestSupport
import Testing

@Suite struct SettingsTests {
    private func settings(_ text: String) throws(SettingsError) -> ServiceSettings {
        try ServiceSettings(text: text, file: "cofferd.conf")
    }

    @Test func `every setting is read, with comments and white space around it`() throws {
        let read = try settings(
            """
            # What the service of this machine does.
            ; Another comment.
            [cofferd]
            data=/srv/coffer
              idle-timeout =  2.5\t
            log-level = debug\r
            slow-fetch = 250
            user-quota = 2048

            sql-debug = 2
            """)
        var expected = ServiceSettings()
        expected.dataFolder = "/srv/coffer"
        expected.idleTimeout = 2.5
        #expect("\(read.logLevel as Any)".contains("debug"))
        expected.logLevel = read.logLevel
        expected.slowFetch = 250
        expected.userQuota = 2_048
        expected.sqlDebug = 2
        #expect(read == expected)
        #expect(try settings("") == ServiceSettings())
        #expect(try settings("[cofferd]\n") == ServiceSettings())
        #expect(try settings("[cofferd]\ndata = /a = b").dataFolder == "/a = b")
        #expect(try settings("[cofferd]\ndata = /srv/c#;d").dataFolder == "/srv/c#;d")
    }

    @Test(arguments: [
        ("[cofferd]\nidle-timeout = soon", "cofferd.conf:2: 'idle-timeout' cannot be 'soon'"),
        ("[cofferd]\nidle-timeout = -1", "cofferd.conf:2: 'idle-timeout' cannot be '-1'"),
        ("[cofferd]\nidle-timeout = nan", "cofferd.conf:2: 'idle-timeout' cannot be 'nan'"),
        ("[cofferd]\n\nlog-level = loud", "cofferd.conf:3: 'log-level' cannot be 'loud'"),
        ("[cofferd]\ndata = stores", "cofferd.conf:2: 'data' cannot be 'stores'"),
        ("[cofferd]\ndata =", "cofferd.conf:2: 'data' cannot be ''"),
        ("[cofferd]\nuser-quota = -1", "cofferd.conf:2: 'user-quota' cannot be '-1'"),
        ("[cofferd]\nsql-debug = 3", "cofferd.conf:2: 'sql-debug' cannot be '3'"),
        (
            "[cofferd]\nslow-fetch = 1\nslow-fetch = 2",
            "cofferd.conf:3: 'slow-fetch' is set in line 2 already"
        ),
        ("[cofferd]\ndatta = /x", "cofferd.conf:2: there is no setting 'datta'"),
        ("[cofferd]\nsystem = yes", "cofferd.conf:2: there is no setting 'system'"),
        ("[cofferd]\nidle-timeout 3", "cofferd.conf:2: 'idle-timeout 3' is not of the form 'name = value'"),
        ("idle-timeout = 3", "cofferd.conf:1: settings stand below '[cofferd]'"),
        (
            "[cofferd]\ndata = /srv/x # note",
            "cofferd.conf:2: a comment goes on a line of its own, not behind the value of 'data'"
        ),
        ("[cofferd]\ndata = /srv/x\t; note", "cofferd.conf:2: a comment goes on a line of its own"),
        ("[cofferd]\nidle-timeout = #3", "cofferd.conf:2: a comment goes on a line of its own"),
        ("[service]\nidle-timeout = 3", "cofferd.conf:1: '[service]' is not a known section"),
    ])
    func `what is wrong is told with its place`(text: String, message: String) {
        let error = #expect(throws: SettingsError.self) { _ = try settings(text) }
        #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error as Any)")
    }

    @Test func `the environment is read, and told of where it is wrong`() throws {
        let read = try ServiceSettings(environment: [
            "COFFER_SLOW_FETCH": "7", "COFFER_DATA": "", "HOME": "/x",
        ])
        #expect(read.slowFetch == 7 && read.dataFolder == nil)
        let error = #expect(throws: SettingsError.self) {
            _ = try ServiceSettings(environment: ["COFFER_SQL_DEBUG": "all"])
        }
        #expect(
            error.map { "\($0)" }
                == "COFFER_SQL_DEBUG: 'sql-debug' cannot be 'all': a number from 0 to 2 is expected")
    }

    @Test func `a flag beats the environment, which beats the file`() throws {
        let file = try settings("[cofferd]\nidle-timeout = 1\nslow-fetch = 1\nsql-debug = 1")
        let environment = try ServiceSettings(environment: [
            "COFFER_SLOW_FETCH": "2", "COFFER_SQL_DEBUG": "0",
        ])
        var flags = ServiceSettings()
        flags.sqlDebug = 2
        let all = flags.over(environment).over(file)
        #expect((all.idleTimeout, all.slowFetch, all.sqlDebug) == (1, 2, 2))
    }

    @Test func `a file that is not there says nothing, unless it must be there`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = "\(folder.path)/none/cofferd.conf"
        #expect(try SettingsFile.read(path, mustExist: false) == ServiceSettings())
        #expect(throws: SettingsError.self) { try SettingsFile.read(path, mustExist: true) }
        // A folder in its place is a mistake that is told.
        #expect(throws: SettingsError.self) { try SettingsFile.read(folder.path, mustExist: false) }
    }

    @Test func `the file may be a link, which must lead to one`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (path, target) = ("\(folder.path)/cofferd.conf", "\(folder.path)/managed.conf")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "managed.conf")
        // A user who has made a link means something by it.
        #expect(throws: SettingsError.self) { try SettingsFile.read(path, mustExist: false) }
        let text = Data("[cofferd]\nslow-fetch = 7\n".utf8)
        try #require(FileManager.default.createFile(atPath: target, contents: text))
        #expect(try SettingsFile.read(path, mustExist: false).slowFetch == 7)
        #expect(try SettingsFile.read(path, mustExist: true).slowFetch == 7)
        try FileManager.default.removeItem(atPath: target)
        try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: "/dev/null")
        // Masked.
        #expect(try SettingsFile.read(path, mustExist: false) == ServiceSettings())
    }

    @Test func `the file is the system's or the user's`() {
        let environment = ["XDG_CONFIG_HOME": "/home/anna/settings", "HOME": "/home/anna"]
        #expect(SettingsFile.path(isSystem: true, environment: environment) == "/etc/coffer/cofferd.conf")
        #expect(
            SettingsFile.path(isSystem: false, environment: environment)
                == "/home/anna/settings/coffer/cofferd.conf")
        #expect(
            SettingsFile.path(isSystem: false, environment: ["HOME": "/home/anna"])
                == "/home/anna/.config/coffer/cofferd.conf")
        #expect(SettingsFile.path(isSystem: false, environment: [:]) == nil)
    }
}
