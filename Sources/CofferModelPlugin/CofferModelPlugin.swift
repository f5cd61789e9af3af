import Foundation
import PackagePlugin

/// Makes Swift of every model in a target, each time that the model changes.
///
/// An `.xcdatamodeld`, or an `.xcdatamodel` outside of one, becomes one file in the plugin's own folder;
/// nothing is written into the package.
@main
struct CofferModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "coffer-model").url
        return models(below: target.directoryURL).map { model in
            let stem = model.deletingPathExtension().lastPathComponent
            let folder = context.pluginWorkDirectoryURL.appending(path: stem)
            return .buildCommand(
                displayName: "Swift of \(model.lastPathComponent)", executable: tool,
                arguments: [model.path, folder.path], inputFiles: [model] + contents(of: model),
                outputFiles: [folder.appending(path: "\(stem)+Coffer.swift")])
        }
    }

    /// The models in a folder and those within it, in order.
    private func models(below folder: URL) -> [URL] {
        names(in: folder).flatMap { name in
            let url = folder.appending(path: name)
            switch url.pathExtension {
            case "xcdatamodeld", "xcdatamodel": return [url]
            default: return isFolder(url) ? models(below: url) : []
            }
        }
    }

    /// The files that a model is made of, in order.
    private func contents(of model: URL) -> [URL] {
        names(in: model).flatMap { name in
            let url = model.appending(path: name)
            return isFolder(url) ? contents(of: url) : [url]
        }
    }

    private func names(in folder: URL) -> [String] {
        // The generator runs over the same folder and says what is wrong with it.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
