/// Introspection documents: equal descriptions always give equal text.
package enum DBusIntrospection {
    /// The document that `Introspect` answers for an object, and files hold for an interface.
    ///
    /// Interfaces stand in the order given, child nodes sorted, indented by two spaces, with a line feed at
    /// the end. No names are checked; `isValid` does.
    ///
    /// - Parameters:
    ///   - interfaces: The interfaces of the object.
    ///   - childNodes: The last parts of the paths of objects right below it.
    ///   - documented: Whether documentation stands as comments before its member.
    /// - Returns: The text of the document.
    package static func xml(
        interfaces: [DBusInterfaceDescription], childNodes: [String] = [], documented: Bool = false
    ) -> String {
        var writer = IntrospectionWriter(isDocumented: documented)
        writer.line(#"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#)
        writer.line(#" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#)
        writer.element("node") { writer in
            for interface in interfaces { writer.write(interface) }
            for child in childNodes.sorted() { writer.element("node", attributes: [("name", child)]) }
        }
        return writer.text
    }
}

extension DBusInterfaceDescription {
    /// The interface's element alone, indented by `level` times two spaces.
    package func xml(level: Int = 0, documented: Bool = false) -> String {
        var writer = IntrospectionWriter(isDocumented: documented)
        writer.level = level
        writer.write(self)
        return writer.text
    }

    /// Whether all names and signatures are such as D-Bus allows, and no two members of a kind share a name.
    package var isValid: Bool {
        let members = methods.map(\.name) + signals.map(\.name) + properties.map(\.name)
        let arguments = methods.flatMap { $0.inputs + $0.outputs } + signals.flatMap(\.arguments)
        let signatures = arguments.map(\.signature) + properties.map(\.signature)
        return DBusName.isInterface(name) && members.allSatisfy(DBusName.isMember)
            && arguments.map(\.name).allSatisfy(DBusName.isMember)
            && signatures.allSatisfy(DBusSignature.isSingleType)
            && [methods.map(\.name), signals.map(\.name), properties.map(\.name)]
                .allSatisfy { Set($0).count == $0.count }
    }
}

/// Lines of an introspection document, as they are written.
private struct IntrospectionWriter {
    let isDocumented: Bool
    var level = 0
    private(set) var text = ""

    init(isDocumented: Bool) { self.isDocumented = isDocumented }

    mutating func write(_ interface: DBusInterfaceDescription) {
        comment(interface.documentation)
        element("interface", attributes: [("name", interface.name)]) { writer in
            writer.write(interface.annotations)
            for method in interface.methods { writer.write(method) }
            for signal in interface.signals { writer.write(signal) }
            for property in interface.properties { writer.write(property) }
        }
    }

    private mutating func write(_ method: DBusMethodDescription) {
        comment(method.documentation)
        element("method", attributes: [("name", method.name)]) { writer in
            for argument in method.inputs { writer.write(argument, direction: "in") }
            for argument in method.outputs { writer.write(argument, direction: "out") }
            writer.write(method.annotations)
        }
    }

    private mutating func write(_ signal: DBusSignalDescription) {
        comment(signal.documentation)
        element("signal", attributes: [("name", signal.name)]) { writer in
            for argument in signal.arguments { writer.write(argument, direction: nil) }
            writer.write(signal.annotations)
        }
    }

    private mutating func write(_ property: DBusPropertyDescription) {
        comment(property.documentation)
        let attributes = [
            ("name", property.name), ("type", property.signature), ("access", property.access.rawValue),
        ]
        element("property", attributes: attributes) { writer in writer.write(property.allAnnotations) }
    }

    private mutating func write(_ argument: DBusArgument, direction: String?) {
        let attributes = [("name", argument.name), ("type", argument.signature)]
        element("arg", attributes: attributes + (direction.map { [("direction", $0)] } ?? []))
    }

    private mutating func write(_ annotations: [DBusAnnotation]) {
        for annotation in annotations {
            element("annotation", attributes: [("name", annotation.name), ("value", annotation.value)])
        }
    }

    /// Writes an element, closed at once if `body` writes nothing.
    mutating func element(
        _ name: String, attributes: [(String, String)] = [],
        _ body: (inout IntrospectionWriter) -> Void = { _ in }
    ) {
        let start = attributes.reduce("<" + name) { $0 + " \($1.0)=\"\(Self.escape($1.1))\"" }
        var inner = IntrospectionWriter(isDocumented: isDocumented)
        inner.level = level + 1
        body(&inner)
        guard !inner.text.isEmpty else { return line(start + "/>") }
        line(start + ">")
        text += inner.text
        line("</\(name)>")
    }

    private mutating func comment(_ documentation: String?) {
        guard isDocumented, let documentation, !documentation.isEmpty else { return }
        let lines = documentation.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.splitHyphens($0) }
        guard lines.count > 1 else { return line("<!-- \(lines.joined()) -->") }
        line("<!--")
        for content in lines { line(content.isEmpty ? "" : "  " + content) }
        line("-->")
    }

    mutating func line(_ content: String) {
        text += content.isEmpty ? "\n" : String(repeating: "  ", count: level) + content + "\n"
    }

    /// Two hyphens would end a comment.
    private static func splitHyphens(_ text: Substring) -> String {
        text.reduce(into: "") { $0 += $0.last == "-" && $1 == "-" ? " -" : String($1) }
    }

    private static func escape(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}
