internal import CExpat

/// Reads XML documents into trees of elements, through libexpat.
///
/// What a document could use to make a reader grow or reach out is refused: it can declare no entities,
/// nothing outside it is ever loaded (a document type that names a file is passed over), and size, depth and
/// number of elements have limits. Text comes out as UTF-8, whatever of expat's encodings the document has.
package enum XMLDocumentReader {
    /// The root element of the document in `bytes`, which errors call `file`.
    ///
    /// - Throws: `FormatError.malformed` if the document is not well-formed, `.refused` if it passes a limit
    ///   or declares entities; both name line, column and the innermost element.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> XMLElement {
        guard bytes.count <= Limits.xmlDocument else {
            throw .refused(
                at: TextLocation(file: file, line: 1, column: 1),
                reason: "it has \(bytes.count) bytes, \(Limits.xmlDocument) are allowed")
        }
        return try ExpatParser(file: file).parse(bytes)
    }
}

/// One run of expat over one document.
///
/// Safe: it owns the parser from `init` to `deinit`, and lends itself to the callbacks only while `parse`
/// runs.
@safe private final class ExpatParser {
    private let parser: OpaquePointer
    private let file: String
    private var open: [XMLElement] = []
    private var root: XMLElement?
    private var elementCount = 0
    private var failure: FormatError?

    init(file: String) throws(FormatError) {
        guard let parser = unsafe XML_ParserCreate(nil) else {
            throw .unreadable(path: file, reason: "there is not enough memory for a parser")
        }
        unsafe self.parser = parser
        self.file = file
    }

    deinit { unsafe XML_ParserFree(parser) }

    func parse(_ bytes: [UInt8]) throws(FormatError) -> XMLElement {
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        setHandlers()
        let status = unsafe bytes.withUnsafeBytes { buffer in
            // The size fits: `Limits.xmlDocument` is far below `Int32.max`.
            unsafe XML_Parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 1)
        }
        if let failure { throw failure }
        guard status == XML_STATUS_OK, let root else {
            let text = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
            throw .malformed(at: place, reason: text ?? "it is not well-formed")
        }
        return root
    }

    private func setHandlers() {
        unsafe XML_SetElementHandler(
            parser,
            { data, name, attributes in unsafe ExpatParser.of(data)?.begin(name, attributes) },
            { data, _ in unsafe ExpatParser.of(data)?.end() })
        unsafe XML_SetCharacterDataHandler(parser) { data, text, count in
            unsafe ExpatParser.of(data)?.append(text, Int(count))
        }
        unsafe XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            unsafe ExpatParser.of(data)?.refuse("it declares an entity")
        }
        unsafe XML_SetSkippedEntityHandler(parser) { data, _, _ in
            unsafe ExpatParser.of(data)?.refuse("it refers to an entity that is declared elsewhere")
        }
    }

    /// The parser that a callback belongs to; `data` is what `parse` set.
    private static func of(_ data: UnsafeMutableRawPointer?) -> ExpatParser? {
        unsafe data.map { unsafe Unmanaged<ExpatParser>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension ExpatParser {
    private var line: Int { Int(unsafe XML_GetCurrentLineNumber(parser)) }
    private var column: Int { Int(unsafe XML_GetCurrentColumnNumber(parser)) + 1 }
    private var place: TextLocation {
        TextLocation(file: file, line: line, column: column, element: open.last?.label ?? "")
    }

    private func begin(_ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard failure == nil, let name = unsafe name else { return }
        var element = unsafe XMLElement(String(cString: name), line: line, column: column)
        var i = 0
        while let key = unsafe list?[i], let value = unsafe list?[i + 1] {  // Ended by a null.
            unsafe element.attributes.append(XMLAttribute(String(cString: key), String(cString: value)))
            i += 2
        }
        elementCount += 1
        if elementCount > Limits.xmlElements { refuse("it has more than \(Limits.xmlElements) elements") }
        if open.count >= Limits.xmlDepth { refuse("elements stand more than \(Limits.xmlDepth) deep") }
        if element.attributes.count > Limits.xmlAttributes {
            refuse("an element has more than \(Limits.xmlAttributes) attributes")
        }
        open.append(element)
    }

    private func end() {
        guard failure == nil, let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    private func append(_ text: UnsafePointer<CChar>?, _ count: Int) {
        guard failure == nil, !open.isEmpty, let text = unsafe text else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
        unsafe open[open.count - 1].text += String(decoding: bytes, as: UTF8.self)
    }

    private func refuse(_ reason: String) {
        guard failure == nil else { return }
        failure = .refused(at: place, reason: reason)
        unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
}
