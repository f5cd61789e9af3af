import CofferFormats
import CofferGeneration
import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

/// Models of public projects; no part of the package, so that the tests skip where they are absent.
private let models: [String] = {
    let package = URL(filePath: #filePath).appending(path: "../../..").standardized
    let places: [String?] = [
        CurrentProcess.environment["COFFER_FIXTURES"], package.appending(path: "../shared/fixtures").path,
    ]
    let folder = places.compactMap { $0 }.map { URL(filePath: $0).standardized.path }
        .first { FileManager.default.fileExists(atPath: $0) }
    guard let folder, let all = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
        return []
    }
    return all.filter { $0.hasSuffix(".xcdatamodeld") }.sorted().map { "\(folder)/\($0)" }
}()

@Suite(.enabled(if: !models.isEmpty, "there are no fixtures")) struct `Swift of real models` {
    @Test(.timeLimit(.minutes(15)))
    func `is the same each time, and parses`() throws {
        try withTemporaryFolder { (folder) throws in
            var paths: [String] = []
            for (index, model) in models.enumerated() {
                for isOneFile in [true, false] {
                    var options = GenerationOptions()
                    options.includesManualClasses = true
                    options.isOneFile = isOneFile
                    let source = try ModelFile.source(path: model)
                    let files = try SourceGenerator(source, options: options).files()
                    #expect(files == (try SourceGenerator(source, options: options).files()), "\(model)")
                    for file in files where isOneFile {
                        let name = "\(index)-\(file.name)"
                        try Folder(at: folder).replace(name, with: Array(file.text.utf8))
                        paths.append("\(folder)/\(name)")
                    }
                }
            }
            let compiler = try ChildProcess(
                "/usr/bin/env", arguments: ["swiftc", "-frontend", "-parse"] + paths,
                environment: CurrentProcess.environment, output: .pipe)
            let lines = try compiler.outputLines()?.rest() ?? []
            #expect(try compiler.waitForExit() == .code(0), "\(lines.joined(separator: "\n"))")
        }
    }
}
