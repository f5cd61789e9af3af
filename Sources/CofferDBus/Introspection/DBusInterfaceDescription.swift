/// An interface as introspection shows it; members stand in the order given.
package struct DBusInterfaceDescription: Sendable, Equatable {
    /// The interface's name.
    package var name: String
    /// Its methods.
    package var methods: [DBusMethodDescription]
    /// Its signals.
    package var signals: [DBusSignalDescription]
    /// Its properties.
    package var properties: [DBusPropertyDescription]
    /// Its annotations.
    package var annotations: [DBusAnnotation]
    /// A sentence or more for readers of the file; not sent over the bus.
    package var documentation: String?

    /// Makes a description.
    package init(
        _ name: String, methods: [DBusMethodDescription] = [], signals: [DBusSignalDescription] = [],
        properties: [DBusPropertyDescription] = [], annotations: [DBusAnnotation] = [],
        documentation: String? = nil
    ) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
        self.annotations = annotations
        self.documentation = documentation
    }
}

/// A named argument of a method or signal.
package struct DBusArgument: Sendable, Equatable {
    /// Its name, in small letters with underscores.
    package var name: String
    /// Its type.
    package var signature: String

    /// Makes an argument.
    package init(_ name: String, _ signature: String) {
        self.name = name
        self.signature = signature
    }
}

/// A fact for tools, under a well-known name.
package struct DBusAnnotation: Sendable, Equatable {
    /// The fact's name.
    package var name: String
    /// The fact.
    package var value: String

    /// Makes an annotation.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The method sends no reply.
    package static let noReply = DBusAnnotation("org.freedesktop.DBus.Method.NoReply", "true")
}

/// A method of an interface.
package struct DBusMethodDescription: Sendable, Equatable {
    /// Its name.
    package var name: String
    /// What the caller passes.
    package var inputs: [DBusArgument]
    /// What the reply holds.
    package var outputs: [DBusArgument]
    /// Its annotations.
    package var annotations: [DBusAnnotation]
    /// A sentence or more for readers of the file.
    package var documentation: String?

    /// The signature of a call's body.
    package var inputSignature: String { inputs.map(\.signature).joined() }

    /// Makes a method.
    package init(
        _ name: String, in inputs: [DBusArgument] = [], out outputs: [DBusArgument] = [],
        annotations: [DBusAnnotation] = [], documentation: String? = nil
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.annotations = annotations
        self.documentation = documentation
    }
}

/// A signal of an interface.
package struct DBusSignalDescription: Sendable, Equatable {
    /// Its name.
    package var name: String
    /// What it carries.
    package var arguments: [DBusArgument]
    /// Its annotations.
    package var annotations: [DBusAnnotation]
    /// A sentence or more for readers of the file.
    package var documentation: String?

    /// Makes a signal.
    package init(
        _ name: String, _ arguments: [DBusArgument] = [], annotations: [DBusAnnotation] = [],
        documentation: String? = nil
    ) {
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
        self.documentation = documentation
    }
}

/// A property of an interface.
package struct DBusPropertyDescription: Sendable, Equatable {
    /// Whether a property can be read, set, or both.
    package enum Access: String, Sendable {
        /// The property can be read.
        case read
        /// The property can be set.
        case write
        /// The property can be read and set.
        case readwrite
    }

    /// What `PropertiesChanged` tells of a change.
    package enum ChangeSignal: String, Sendable {
        /// The new value; the default if nothing is annotated.
        case value = "true"
        /// That it changed.
        case invalidates
        /// The property never changes.
        case const
        /// Nothing.
        case none = "false"
    }

    /// Its name.
    package var name: String
    /// Its type.
    package var signature: String
    /// Whether the property can be read, set, or both.
    package var access: Access
    /// What `PropertiesChanged` tells of a change.
    package var changeSignal: ChangeSignal
    /// Further annotations.
    package var annotations: [DBusAnnotation]
    /// A sentence or more for readers of the file.
    package var documentation: String?

    /// Makes a property.
    package init(
        _ name: String, _ signature: String, access: Access = .read, changeSignal: ChangeSignal = .value,
        annotations: [DBusAnnotation] = [], documentation: String? = nil
    ) {
        self.name = name
        self.signature = signature
        self.access = access
        self.changeSignal = changeSignal
        self.annotations = annotations
        self.documentation = documentation
    }

    /// All annotations, that of the change signal first if it is not the default.
    var allAnnotations: [DBusAnnotation] {
        guard changeSignal != .value else { return annotations }
        let name = "org.freedesktop.DBus.Property.EmitsChangedSignal"
        return [DBusAnnotation(name, changeSignal.rawValue)] + annotations
    }
}
