import CofferLinux
import CofferModel

extension ManagedObject {
    /// Makes objects at the other end of a relationship of `type` from now on, if the context has no other
    /// class for them: that is how it learns the classes of relationships, as it does by inserting and
    /// fetching.
    @inline(__always)
    final func expect(_ type: ManagedObject.Type, at relationship: RelationshipLayout) {
        if relationship.expectedClass != ObjectIdentifier(type) { learn(type, at: relationship) }
    }

    private func learn(_ type: ManagedObject.Type, at relationship: RelationshipLayout) {
        relationship.expectedClass = ObjectIdentifier(type)
        guard let context else { return }
        let destination = relationship.destination
        let own = context.model.entity(named: context.entityName(of: type))
        let isOfOne = own.map { $0.isKind(of: destination) || destination.isKind(of: $0) } ?? false
        context.useClass(type, for: isOfOne ? own ?? destination : destination)
    }

    /// The object as a class that a program asks for; ends the program if it is of another one.
    ///
    /// An answer without it would look as if it were not there.
    final func cast<Object: ManagedObject>(to type: Object.Type = Object.self) -> Object {
        if let object = self as? Object { return object }
        mistake(
            """
            an object of entity '\(entity.name)' is asked for as \(type), and this context made it as \
            \(Self.self): name the classes before there are objects, by 'withClasses' of the model or \
            'register' of the context
            """)
    }
}

/// Ends the program because of a mistake in it, and says which: in a release build, too, if it is built with
/// optimisation, which drops the words of a failed precondition.
func mistake(_ text: String) -> Never {
    StandardError.say("Coffer: \(text)")
    preconditionFailure(text)
}
