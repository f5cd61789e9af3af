package import CofferFormats
package import CofferModel

/// Which class each entity of a model has, and how its properties are called in Swift.
package struct ClassPlan: Sendable {
    /// What is written of a class.
    package enum Kind: Sendable, Hashable {
        /// All of it.
        case whole
        /// Its properties, in an extension.
        case properties
    }

    /// A property as the class has it.
    package struct Property: Sendable, Hashable {
        /// How it is reached.
        package enum Shape: Sendable, Hashable {
            /// By a value of the type.
            case attribute(type: String)
            /// By an object of the class.
            case toOne(String)
            /// By objects of the class.
            case toMany(String)
        }

        /// The name in the model.
        package let key: String
        /// The name in Swift, without backticks.
        package let name: String
        /// How it is reached.
        package let shape: Shape
        /// The lines of its doc comment; none if there is nothing to say.
        package let documentation: [String]
    }

    /// A fetched property as the class has it.
    package struct FetchedProperty: Sendable, Hashable {
        /// The name in the model.
        package let key: String
        /// The name in Swift, without backticks.
        package let name: String
        /// The class of the objects; `nil` if they are plain managed objects.
        package let target: String?
        /// The lines of its doc comment.
        package let documentation: [String]
    }

    /// A class that is written.
    package struct Class: Sendable {
        /// The entity whose objects have it.
        package let entity: EntityDescription
        /// The name in Swift, without backticks.
        package let name: String
        /// What is written of it.
        package let kind: Kind
        /// The class it inherits from; `nil` for `ManagedObject`.
        package let superclass: String?
        /// The type and its static member that name the properties it inherits, as `Note.Properties` and
        /// `Note.properties`.
        package let inheritedNames: (type: String, member: String)?
        /// Which code may use it.
        package let access: GenerationOptions.Access
        /// Whether nothing inherits from it.
        package let isFinal: Bool
        /// The properties it adds.
        package let properties: [Property]
        /// The fetched properties it adds.
        package let fetchedProperties: [FetchedProperty]
        /// All properties that are known by name in Swift, inherited ones included.
        package let allProperties: [Property]
        /// The lines of its doc comment.
        package let documentation: [String]
    }

    /// The classes that are written, in the order of their entities.
    package let classes: [Class]
    /// The class of each entity that has one, written here or by the application, by the entity's name.
    package let classNames: [String: String]
    /// Which code may use the model: all code that may use one of the classes.
    package let access: GenerationOptions.Access
    /// How types are written.
    let types: TypeNames

    /// Plans the classes of a model.
    ///
    /// - Throws: `GenerationError`, naming the entity and property, if Swift cannot have a name or has it
    ///   twice.
    package init(of source: ModelSource, options: GenerationOptions) throws(GenerationError) {
        var planning = ClassPlanning(source, options)
        try planning.nameClasses()
        try planning.planClasses()
        try planning.checkAccess()
        classes = planning.classes
        classNames = planning.classNames
        types = planning.types
        let known = GenerationOptions.Access.allCases
        let asked = classes.map(\.access) + [options.access]
        access = known.last { asked.contains($0) } ?? options.access
    }
}
