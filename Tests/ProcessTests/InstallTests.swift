import CofferLinux
import TestSupport
import Testing

/// The root of the sources.
private let root = "\(#filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined())"

/// An ordinary user with a checkout, in a namespace of mounts in which the system knows that user, and what
/// root makes of it with sudo.
private struct Checkout {
    /// A folder that the user may pass through.
    let folder: String
    var hasSwift = true
    var isBuilt = false
    var arguments: [String] = []

    /// What `sudo dbus/install --system` says, and how it ends.
    func install() throws -> (lines: [String], status: CofferLinux.ExitStatus) {
        try Folder(at: folder).replace("run", with: Array(Self.script.utf8))
        let child = try ChildProcess(
            "unshare",
            arguments: [
                "--mount", "--", "bash", "\(folder)/run", root, folder, hasSwift ? "yes" : "",
                isBuilt ? "yes" : "",
            ] + arguments,
            output: .pipe)
        let lines = try child.outputLines()?.rest() ?? []
        return (lines, try child.waitForExit())
    }

    /// What `find` finds in one of the folders `coffer`, the checkout, and `staged`, the prefix.
    func find(in name: String, _ arguments: String...) throws -> [String] {
        let find = try ChildProcess("find", arguments: ["\(folder)/\(name)"] + arguments, output: .pipe)
        let lines = try find.outputLines()?.rest() ?? []
        try #require(find.waitForExit() == .code(0))
        return lines
    }

    private static let script = #"""
        set -eu
        root=$1 folder=$2 has_swift=$3 is_built=$4
        shift 4
        checkout=$folder/coffer home=$folder/home release=$folder/coffer/.build/release
        chmod 711 "$folder"
        mkdir -p "$home/toolchain" "$release"
        cp -r "$root/dbus" "$checkout/"
        # Instead of the compiler: its programs say where they are, and it notes who called it.
        program='#!/bin/sh\necho "program of $0"\n'
        cat >"$folder/swift" <<SWIFT
        #!/bin/sh
        case "\$*" in
        --version) echo 'Swift version 6.3 (none)' ;;
        *--show-bin-path*) echo "$release" ;;
        *)
            for product; do :; done
            id -un >>"$checkout/.build/builders"
            printf '$program' >"$release/\$product"
            chmod +x "$release/\$product"
            ;;
        esac
        SWIFT
        chmod +x "$folder/swift"
        if [ -n "$is_built" ]; then
            for product in cofferd coffer coffer-bench; do
                printf "$program" >"$release/$product"
                chmod +x "$release/$product"
            done
        fi
        if [ -n "$has_swift" ]; then
            mv "$folder/swift" "$home/toolchain/"
            echo 'PATH=$HOME/toolchain:$PATH' >"$home/.profile"
        fi
        { cat /etc/passwd && echo "coffer-test:x:64123:64123::$home:/bin/bash"; } >"$folder/passwd"
        chmod 644 "$folder/passwd"
        mount --bind "$folder/passwd" /etc/passwd
        chown -R 64123:64123 "$home" "$checkout"
        if [ -z "$has_swift" ]; then
            for installed in $({ type -ap swift || true; bash -lc 'type -ap swift' || true; } | sort -u); do
                mount --bind /dev/null "$installed"
            done
        fi
        # As sudo has it on Debian.
        export SUDO_USER=coffer-test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        umask 077
        cd "$home"
        exec "$checkout/dbus/install" --system --prefix "$folder/staged" "$@"
        """#
}

@Suite(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here")) struct InstallTests {
    @Test
    func `root leaves the build to the user, and what it installs can be read by all`() throws {
        try withTemporaryFolder { folder in
            let checkout = Checkout(folder: folder)
            let (lines, status) = try checkout.install()
            try #require(status == .code(0), "\(lines)")
            let builders = try Folder(at: "\(folder)/coffer/.build").read("builders", limit: 1_000)
            #expect(String(decoding: builders, as: UTF8.self) == "coffer-test\ncoffer-test\ncoffer-test\n")
            #expect(try checkout.find(in: "coffer", "-user", "root") == [])
            #expect(try checkout.find(in: "staged", "-type", "f").count >= 10)
            #expect(try checkout.find(in: "staged", "-type", "f", "!", "-perm", "-444") == [])
            #expect(try checkout.find(in: "staged", "-type", "d", "!", "-perm", "755") == [])
            #expect(try checkout.find(in: "staged/bin", "-type", "f", "!", "-perm", "755") == [])
        }
    }

    @Test(arguments: [[], ["--no-build"]])
    func `without Swift the programs are those that were built before`(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let checkout = Checkout(folder: folder, hasSwift: false, isBuilt: true, arguments: arguments)
            let (lines, status) = try checkout.install()
            try #require(status == .code(0), "\(lines)")
            #expect(lines.contains { $0.hasPrefix("There is no Swift here") } == arguments.isEmpty)
            #expect(try checkout.find(in: "staged/bin", "-type", "f").count == 3)
            #expect(try checkout.find(in: "coffer", "-user", "root") == [])
        }
    }

    @Test(arguments: [([], 69), (["--no-build"], 66)] as [([String], Int32)])
    func `without Swift and programs nothing is installed`(arguments: [String], code: Int32) throws {
        try withTemporaryFolder { folder in
            let (_, status) = try Checkout(folder: folder, hasSwift: false, arguments: arguments).install()
            #expect(status == .code(code))
            #expect(try Folder(at: folder).facts(of: "staged") == nil)
        }
    }
}
