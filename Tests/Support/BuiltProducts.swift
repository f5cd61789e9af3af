import CofferLinux

/// Finds the programs that were built together with the tests.
package enum BuiltProducts {
    /// A program that was not built.
    package struct Missing: Error, CustomStringConvertible {
        /// Its name.
        package let name: String
        /// Where it was looked for.
        package let folders: [String]

        package var description: String {
            "'\(name)' is not in \(folders): build it first, with 'swift build --product \(name)'"
        }
    }

    /// The path of the program `name`.
    ///
    /// - Throws: `Missing` if it was not built.
    package static func path(of name: String) throws -> String {
        let places = [try ProcessFacts.executablePath(of: CurrentProcess.id)] + CommandLine.arguments
        var folders: [String] = []
        for place in places where place.hasPrefix("/") {
            // The bundle may be a file beside the programs, or a folder with the file inside.
            let components = place.split(separator: "/")
            for depth in 1...3 where components.count > depth {
                let folder = "/" + components.dropLast(depth).joined(separator: "/")
                if folders.contains(folder) { continue }
                folders.append(folder)
                guard let opened = try? Folder(at: folder) else { continue }
                if try opened.facts(of: name)?.kind == .file { return "\(folder)/\(name)" }
            }
        }
        throw Missing(name: name, folders: folders)
    }
}
