/// Why no Swift can be made of a model, or its files cannot be written.
@nonexhaustive
package enum GenerationError: Error, Equatable, Sendable {
    /// Two entities share a class: give one of them another class in the model.
    case duplicateClass(String, entities: [String])
    /// A class or type cannot have this name: change the class in the model, or the model's name.
    case invalidTypeName(String, entity: String?, reason: String)
    /// Two properties have the same name in Swift, or a name that Swift cannot have: set `coffer.name` in the
    /// property's user info.
    case invalidPropertyName(String, entity: String, property: String, reason: String)
    /// The user info of an entity gives `coffer.access` a value that it cannot have.
    case invalidAccess(String, entity: String)
    /// An entity's class is for more people than a class that it names: set `coffer.access` in the user info
    /// of both.
    case hiddenClass(String, access: String, entity: String, entityAccess: String)
    /// A fetch request's predicate cannot be read.
    case invalidRequest(String, entity: String, reason: String)
    /// A file is there that was not made of this model: move it, or force it.
    case foreignFiles([String])
    /// A file or folder cannot be read or written.
    case unwritable(path: String, reason: String)
}

extension GenerationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .duplicateClass(let name, let entities):
            "The entities \(entities.map { "'\($0)'" }.joined(separator: " and ")) have the same class '\(name)'."
        case .invalidTypeName(let name, let entity, let reason):
            (entity.map { "The entity '\($0)' cannot have" } ?? "The model cannot have")
                + " the type '\(name)': \(reason)."
        case .invalidPropertyName(let name, let entity, let property, let reason):
            "'\(entity).\(property)' cannot be '\(name)' in Swift: \(reason); set 'coffer.name' in its user info."
        case .invalidAccess(let text, let entity):
            "The entity '\(entity)' has '\(text)' for 'coffer.access': internal, package and public are known."
        case .hiddenClass(let name, let access, let entity, let entityAccess):
            "The class of entity '\(entity)' cannot be \(entityAccess), since it names the class '\(name)', which is \(access); set "
                + "'coffer.access' in the user info of both."
        case .invalidRequest(let name, let entity, let reason):
            "The fetch request '\(name)' of entity '\(entity)' cannot be made a function: \(reason)"
        case .foreignFiles(let files):
            "These files were not made of this model, and stay as they are: \(files.joined(separator: ", "))."
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)."
        }
    }
}
