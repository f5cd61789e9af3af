/// One element of an XML document, with all that stands in it.
package struct XMLElement: Sendable, Equatable {
    /// The name, as written.
    package var name: String
    /// The attributes, in the order they were written.
    package var attributes: [XMLAttribute]
    /// The elements directly inside, in order.
    package var children: [XMLElement]
    /// The text directly inside, without that of children.
    package var text: String
    /// Where the element begins.
    package var line: Int
    /// Where the element begins in its line, in bytes from 1.
    package var column: Int

    /// An element with its attributes, children and text, none by default, and its place in the file.
    package init(
        _ name: String, attributes: [XMLAttribute] = [], children: [XMLElement] = [], text: String = "",
        line: Int = 0, column: Int = 0
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
        self.line = line
        self.column = column
    }
}

/// One attribute of an element.
package struct XMLAttribute: Sendable, Hashable {
    /// The name, as written.
    package var name: String
    /// The value, with references resolved.
    package var value: String

    /// An attribute with its value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension XMLElement {
    /// The value of an attribute, or `nil` if the element has none of that name.
    package subscript(name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// The elements of one name directly inside, in order.
    package func children(named name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }

    /// The element as errors name it: its kind, and its name if it has one.
    package var label: String {
        self["name"].map { "\(name) '\($0)'" } ?? name
    }
}
