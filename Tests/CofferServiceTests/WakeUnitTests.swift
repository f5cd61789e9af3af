import CofferLinux
import CofferService
import Foundation
import TestSupport
import Testing

/// The units that wake the service for other machines' files.
@Suite struct WakeUnitTests {
    private static let units = WakeUnits(watching: ["/home/ada/Nextcloud/100% mine/org.example/Notes"])

    @Test func `units watch the folders, and none of their names is a specifier`() throws {
        let files = Dictionary(uniqueKeysWithValues: Self.units.files.map { ($0.name, $0.text) })
        let path = try #require(files["coffer-ubiquity-import.path"])
        #expect(path.contains("PathChanged=/home/ada/Nextcloud/100%% mine/org.example/Notes\n"))
        #expect(files.count == 3)
    }

    @Test func `systemd takes the units`() throws {
        let program = "/usr/bin/systemd-analyze"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            print("SKIPPED: systemd-analyze is not there, so nobody says whether the units are right")
            return
        }
        try withTemporaryFolder { folder in
            var paths: [String] = []
            for (name, text) in Self.units.files {
                paths.append("\(folder)/\(name)")
                try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            }
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["--user", "verify", "--man=no"] + paths
            process.environment = ["XDG_RUNTIME_DIR": folder, "PATH": "/usr/bin:/bin"]
            let output = Pipe()
            process.standardError = output
            try process.run()
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text)")
        }
    }
}
