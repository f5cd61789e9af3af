package import CofferModel

/// A model together with what its file says for generated code only.
package struct ModelSource: Sendable, Hashable {
    /// The name of the bundle, folder or file it was read from, without folders before it:
    /// `Notes.xcdatamodeld`.
    package let fileName: String
    /// The model.
    package let model: ManagedObjectModel
    /// What definitions have no place for.
    package let notes: CodeNotes

    /// A source from a file's name, its model and what the file notes for generated code.
    package init(fileName: String, model: ManagedObjectModel, notes: CodeNotes = CodeNotes()) {
        self.fileName = fileName
        self.model = model
        self.notes = notes
    }
}

/// What a model file says of classes and Swift types, for which definitions have no place.
package struct CodeNotes: Sendable, Hashable {
    /// What writes the class of an entity.
    package enum Generation: Sendable, Hashable {
        /// The application, all of it ("Manual/None").
        case manual
        /// A tool, all of it ("Class Definition").
        case `class`
        /// The application; a tool adds the properties ("Category/Extension").
        case category
    }

    /// What is said of a property.
    package struct Property: Sendable, Hashable {
        /// Whether the Swift type has no place for null although the attribute may be null.
        package var isScalar = false
        /// The class of a transformable attribute's values on the machine that made the model.
        package var className: String?
        /// Free notes of the application.
        package var userInfo: [String: String] = [:]

        /// Nothing said.
        package init() {}
    }

    /// What is said of an entity.
    package struct Entity: Sendable, Hashable {
        /// What writes the class; `nil` if the file does not say, as those of Xcode before 8 never do.
        package var generation: Generation?
        /// The properties that something is said of.
        package var properties: [String: Property] = [:]

        /// Nothing said.
        package init() {}
    }

    /// By the entities' names.
    package var entities: [String: Entity] = [:]

    /// Nothing said.
    package init() {}
}
