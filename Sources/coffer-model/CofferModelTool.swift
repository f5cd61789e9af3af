import CofferFormats
import CofferGeneration
import Glibc  // exit, for the code of the tool

/// `coffer-model MODEL FOLDER`: what the plugin runs, without what only people need, so that it is built
/// quickly.
@main
struct CofferModelTool {
    static func main() {
        do {
            guard CommandLine.arguments.count == 3 else {
                fail("usage: coffer-model MODEL FOLDER; people use 'coffer model generate'", 64)
            }
            let (model, output) = (CommandLine.arguments[1], CommandLine.arguments[2])
            // A place and 'warning:' is what editors look for.
            for warning in try ModelFile.warnings(path: model) {
                print("\(warning.place): warning: \(warning.reason)")
            }
            var options = GenerationOptions()
            options.isOneFile = true
            let generator = try SourceGenerator(try ModelFile.source(path: model), options: options)
            let folder = OutputFolder(path: output)
            // The folder is the plugin's own: whatever is in it may go.
            let steps = try folder.steps(for: try generator.files(), header: generator.header, isForced: true)
            try folder.apply(steps)
        } catch {
            // A place and 'error:' is what Swift's package manager and editors look for.
            fail("\(CommandLine.arguments[1]): error: \(error)", 65)
        }
    }

    private static func fail(_ text: String, _ code: Int32) -> Never {
        print(text)  // The package manager shows it as what the command said.
        exit(code)
    }
}
