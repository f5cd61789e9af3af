import FoundationEssentials

/// A folder with versions of a model: Xcode's `.xcdatamodeld`, or the `.momd` that its compiler makes of one.
struct ModelBundle {
    /// How the names of versions end in Xcode's bundles.
    static let sourceEnding = "xcdatamodel"
    /// How they end in compiled bundles.
    private static let compiledEnding = "mom"
    /// The file of a compiled bundle that says which version is current.
    private static let compiledInformation = "VersionInfo.plist"
    /// The file of Xcode's bundles that does.
    private static let sourceInformation = ".xccurrentversion"

    let path: String
    private let isCompiled: Bool

    private var ending: String { isCompiled ? Self.compiledEnding : Self.sourceEnding }

    /// The bundle at `path`; `nil` if that is a version, or a file.
    init?(path: String) {
        guard Self.isDirectory(path), !FileManager.default.fileExists(atPath: "\(path)/contents"),
            !FileManager.default.fileExists(atPath: "\(path)/elements")
        else { return nil }
        self.path = path
        isCompiled = FileManager.default.fileExists(atPath: "\(path)/\(Self.compiledInformation)")
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }

    /// What a version is called whose file or folder is called `file`.
    static func versionName(ofFile file: String) -> String {
        for ending in [sourceEnding, compiledEnding] where file.hasSuffix(".\(ending)") {
            return String(file.dropLast(ending.count + 1))
        }
        return file
    }

    /// Where the version called `name` is.
    func path(of name: String) -> String { "\(path)/\(name).\(ending)" }

    /// The names of the versions, in order.
    ///
    /// - Throws: `.unreadable` if there is none, `.unsupported` if there are too many.
    func versionNames() throws(FormatError) -> [String] {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .unreadable(path: path, reason: "the folder cannot be listed")
        }
        let names = files.filter { $0.hasSuffix(".\(ending)") }.map { Self.versionName(ofFile: $0) }
        guard !names.isEmpty else { throw .unreadable(path: path, reason: "there is no model in it") }
        guard names.count <= Limits.modelVersions else {
            throw .unsupported(path: path, reason: "it has more than \(Limits.modelVersions) versions")
        }
        return names.sorted { Self.order($0) < Self.order($1) }
    }

    /// A name without the number at its end, that number, and the whole name.
    private static func order(_ name: String) -> (String, Int, String) {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
        let stem = name.dropLast(digits.count).reversed().drop { $0 == " " }.reversed()
        return (String(stem), Int(String(digits)) ?? 0, name)
    }

    /// The version that the bundle names as current, or the only one there is.
    ///
    /// - Throws: `.unreadable` if the version that it names is not there, and what its file's form throws.
    func currentName(among names: [String]) throws(FormatError) -> String? {
        let only = names.count == 1 ? names.first : nil
        let file = "\(path)/\(isCompiled ? Self.compiledInformation : Self.sourceInformation)"
        guard FileManager.default.fileExists(atPath: file) else { return only }
        let bytes = try ModelFile.bytes(file)
        let values =
            BinaryPropertyListReader.recognises(bytes)
            ? try BinaryPropertyListReader.read(bytes) : try XMLPropertyListReader.read(bytes, file: file)
        let key = isCompiled ? "NSManagedObjectModel_CurrentVersionName" : "_XCCurrentVersionName"
        guard let entry = values.dictionary?[key]?.string else { return only }
        let name = Self.versionName(ofFile: entry)
        guard names.contains(name) else {
            throw .unreadable(path: file, reason: "the current version '\(entry)' does not exist")
        }
        return name
    }
}
