import CofferLinux

/// Files that Core Data and Xcode wrote; they are not part of the package, and tests over them are skipped
/// if they are absent.
package enum FixtureFolder {
    /// The folder named by COFFER_FIXTURES, or `../shared/fixtures` beside the package.
    package static let path: String? = {
        let package = #filePath.split(separator: "/").dropLast(3)
        let beside = package.dropLast().map { "/\($0)" }.joined() + "/shared/fixtures"
        let places = [CurrentProcess.environment["COFFER_FIXTURES"], beside].compactMap { $0 }
        return places.first { (try? Folder(at: $0)) != nil }
    }()

    /// Whether there is one.
    package static var isThere: Bool { path != nil }

    /// The folder, for tests that run only if there is one.
    ///
    /// - Throws: `Absent`.
    package static func required() throws -> String {
        guard let path else { throw Absent() }
        return path
    }

    /// There is no such folder.
    package struct Absent: Error {}
}
