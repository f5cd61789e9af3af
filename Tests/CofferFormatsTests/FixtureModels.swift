import FoundationEssentials
import TestSupport

extension FixtureFolder {
    /// Every model in XML below the folder: bundles, and versions that stand outside of one.
    static let models: [String] = {
        guard let path else { return [] }
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return all.filter {
            $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") && !$0.contains(".xcdatamodeld/")
        }
        .filter { !binaryModels.contains($0) }
        .sorted()
    }()

    /// Those of Xcode before version 4, which are binary.
    static let binaryModels: [String] = {
        guard let path else { return [] }
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return all.filter { $0.hasSuffix(".xcdatamodel/elements") }.map {
            String($0.dropLast("/elements".count))
        }
    }()
}
