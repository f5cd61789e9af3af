import FoundationEssentials

/// Files that Core Data and Xcode wrote; they are no part of the package, and tests over them skip where they are absent.
enum FixtureFolder {
    /// The folder named by COFFER_FIXTURES, or `../shared/fixtures` beside the package.
    static let path: String? = {
        let package = URL(filePath: #filePath).appending(path: "../../..").standardized
        let places: [String?] = [
            ProcessInfo.processInfo.environment["COFFER_FIXTURES"],
            package.appending(path: "../shared/fixtures").standardized.path,
        ]
        return places.compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0) }
    }()

    static var isThere: Bool { path != nil }

    /// Every model below the folder: bundles, and versions that stand outside of one.
    static let models: [String] = {
        guard let path else { return [] }
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return all.filter {
            $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") && !$0.contains(".xcdatamodeld/")
        }
        .sorted()
    }()
}
