/// Where in an account's folder the content of a store lies, besides what it is called there.
package struct ContentLocation: Hashable, Sendable {
    /// Why there can be no such location.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// Which field is wrong: `ubiquitous_container` or `ubiquitous_content_path`.
        package let field: String
        /// What it says.
        package let value: String
        /// What is wrong with it.
        package let reason: String

        package var description: String { "\(field) '\(value)': \(reason)" }
    }

    /// Which of the account's containers; empty for that of the application.
    package let container: String
    /// The folder in the container, its components with slashes between; empty for the container itself.
    package let folder: String

    /// A location as it was kept.
    package init(container: String = "", folder: String = "") {
        (self.container, self.folder) = (container, folder)
    }

    /// A location as an application gives it.
    ///
    /// - Parameters:
    ///   - container: Which container; empty for that of the application.
    ///   - path: The folder in it, or the absolute path of that in one of the accounts' folders; empty for
    ///     the container itself.
    ///   - application: Whose store it is.
    ///   - roots: The absolute paths of the folders of all accounts.
    /// - Throws: `Fault` if it would lead elsewhere, or into the folder of a store's large values.
    package init(
        container: String, path: String, application: String, roots: [String]
    ) throws(Fault) {
        self.container = container.utf8.elementsEqual(application.utf8) ? "" : container
        if let reason = container.isEmpty ? nil : Self.fault(of: container) {
            throw Fault(field: "ubiquitous_container", value: container, reason: reason)
        }
        do throws(Reason) {
            folder = try Self.folder(
                path, in: container.isEmpty ? application : container, below: roots)
        } catch {
            throw Fault(field: "ubiquitous_content_path", value: path, reason: error.text)
        }
    }

    /// Whether the container is an application's alone: its own, or one that is called as the application is,
    /// with a plus sign and more behind that.
    ///
    /// No application's id has such a sign: `org.example.App.Devel` is another application.
    package func isOwn(of application: String) -> Bool {
        container.isEmpty || container.hasPrefix(application + "+")
    }

    /// The path below an account's folder of what is called `name`.
    package func path(of name: String, for application: String) -> String {
        let container = container.isEmpty ? application : container
        return folder.isEmpty ? "\(container)/\(name)" : "\(container)/\(folder)/\(name)"
    }
}

extension ContentLocation {
    private struct Reason: Error, CustomStringConvertible {
        let text: String

        var description: String { text }
    }

    /// Where a store's large values lie.
    package static let valuesFolder = "data"

    private static func folder(
        _ path: String, in container: String, below roots: [String]
    ) throws(Reason) -> String {
        var pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if pieces.count > 1, pieces.last?.isEmpty ?? false { pieces.removeLast() }
        if path.utf8.first == UInt8(ascii: "/") {
            let inside = roots.lazy.compactMap { root -> [String]? in
                let root = root.split(separator: "/").map(String.init)
                let rest = pieces.dropFirst()
                guard rest.starts(with: root), rest.dropFirst(root.count).first == container else {
                    return nil
                }
                return Array(rest.dropFirst(root.count + 1))
            }.first
            guard let inside else { throw Reason(text: "it is not in the container of any account") }
            pieces = inside
        }
        if pieces == [""] || pieces.isEmpty { return "" }
        for piece in pieces {
            if let reason = fault(of: piece) { throw Reason(text: reason) }
            if piece == valuesFolder { throw Reason(text: "stores have their large values in 'data'") }
        }
        let folder = pieces.joined(separator: "/")
        if folder.utf8.count > Limits.contentFolderByteCount {
            throw Reason(text: "it has more than \(Limits.contentFolderByteCount) bytes")
        }
        return folder
    }

    /// Why nothing in a container can be called that; `nil` if it can.
    package static func fault(of name: String) -> String? {
        if name.isEmpty { return "a name in it is empty" }
        if name.utf8.count > Limits.contentNameByteCount {
            return "it has more than \(Limits.contentNameByteCount) bytes"
        }
        if name.utf8.first == UInt8(ascii: ".") { return "it begins with a dot" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }) {
            return "it has a slash or a control character"
        }
        return nil
    }
}
