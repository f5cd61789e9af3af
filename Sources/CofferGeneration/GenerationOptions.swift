/// How Swift is made of a model.
package struct GenerationOptions: Sendable, Hashable {
    /// Which code may use what is made.
    package enum Access: String, Sendable, Hashable, CaseIterable {
        /// The module that it stands in.
        case `internal`
        /// The package.
        case package
        /// All modules.
        case `public`
    }

    /// Which code may use what is made.
    package var access = Access.internal
    /// The model's path as the first line of each file tells it, by which files of this model are known
    /// again; the file's name if it is `nil`.
    package var modelPath: String?
    /// The name of the type that holds the model; made of the file's name if it is `nil`.
    package var modelName: String?
    /// Whether entities that the model leaves to the application get classes too.
    package var includesManualClasses = false
    /// Whether all of it stands in one file.
    package var isOneFile = false

    /// The usual.
    package init() {}
}
