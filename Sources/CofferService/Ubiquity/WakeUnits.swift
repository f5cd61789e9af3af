/// Units of the user's systemd that wake the service when other machines' files arrive while it does not run.
///
/// A path unit watches the folders of the stores that are shared. A timer looks where watching does not
/// help, as in folders of a network. Both start a service that makes `cofferd` import, and ends.
package struct WakeUnits: Sendable, Equatable {
    /// What the units are called before the dot.
    static let name = "coffer-ubiquity-import"

    /// The folders of the stores in their containers.
    private let folders: [String]

    /// Units that watch folders, by their absolute paths.
    package init(watching folders: [String]) {
        // A line of a unit cannot name those; the timer looks there.
        self.folders = folders.filter { !$0.hasSuffix("\\") && !$0.contains("\n") }.sorted()
    }

    /// The files, by name.
    package var files: [(name: String, text: String)] {
        [
            ("\(Self.name).service", service), ("\(Self.name).path", path), ("\(Self.name).timer", timer),
        ]
    }

    private var service: String {
        """
        # Made by cofferd while an account is signed in; it goes at sign-out.
        [Unit]
        Description=Bring in what other machines wrote into shared stores
        # What this service writes triggers the path, too.
        StartLimitIntervalSec=0

        [Service]
        Type=oneshot
        ExecStart=busctl --user --timeout=300 call org.coffer.Storage1 /org/coffer/Storage1 \
        org.coffer.Storage1 ImportShared

        """
    }

    private var path: String {
        let watched = folders.map { "PathChanged=\(Self.escaped($0))\n" }.joined()
        return """
            # Made by cofferd while an account is signed in; it goes at sign-out.
            [Unit]
            Description=Notice files of other machines for shared stores

            [Path]
            \(watched)Unit=\(Self.name).service
            TriggerLimitIntervalSec=10s
            TriggerLimitBurst=20

            [Install]
            WantedBy=default.target

            """
    }

    private var timer: String {
        """
        # Made by cofferd while an account is signed in; it goes at sign-out.
        [Unit]
        Description=Look for files of other machines for shared stores

        [Timer]
        OnStartupSec=1min
        OnUnitInactiveSec=15min
        Unit=\(Self.name).service

        [Install]
        WantedBy=default.target

        """
    }

    /// A path as a setting has it: a percent sign would begin a specifier.
    private static func escaped(_ path: String) -> String {
        path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    }
}
