import CofferFormats
import Testing

struct XMLTests {
    private func read(_ text: String) throws(FormatError) -> XMLElement {
        try XMLDocumentReader.read(Array(text.utf8), file: "test.xml")
    }

    private func refusal(of text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch .refused(let place, let reason) {
            return "\(place.line): \(reason)"
        } catch {
            return "another error: \(error)"
        }
    }

    @Test func `elements keep names, attributes, text and places`() throws {
        let root = try read("<a z='1' b='&lt;&#228;'>\n  <c/>one<![CDATA[ & ]]>two\n  <c x=''>ü</c>\n</a>")
        #expect(root.name == "a")
        #expect(root.attributes == [XMLAttribute("z", "1"), XMLAttribute("b", "<ä")])
        #expect(root.text == "\n  one & two\n  \n")
        #expect(root.children.map(\.name) == ["c", "c"])
        #expect(root.children[1].text == "ü")
        #expect(root.children[1]["x"]?.isEmpty == true)
        #expect((root.children[1].line, root.children[1].column) == (3, 3))
    }

    @Test func `text of another encoding comes out as UTF-8`() throws {
        let head = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8)
        let root = try XMLDocumentReader.read(head + [0xE4] + Array("</a>".utf8), file: "test.xml")
        #expect(root.text == "ä")
    }

    @Test func `what is not well-formed is an error with its place`() throws {
        let error = try #require(throws: FormatError.self) { try read("<a>\n <b name='x'>\n</a>") }
        guard case .malformed(let place, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(place.file == "test.xml")
        #expect(place.line == 3)
        #expect(place.element == "b 'x'")
        for text in ["", "<a>", "plain", "<a></a><b/>", "<a b='1' b='2'/>", "<a>\u{1}</a>"] {
            #expect(throws: FormatError.self, "\(text)") { try read(text) }
        }
        #expect(throws: FormatError.self) {
            try XMLDocumentReader.read(Array("<a>".utf8) + [0xFF, 0xFE] + Array("</a>".utf8), file: "x")
        }
    }

    @Test func `a document that declares entities is refused`() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;</a>"
        #expect(refusal(of: bomb) == "1: it declares an entity")
        #expect(
            refusal(of: "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>")
                == "1: it declares an entity")
        #expect(
            refusal(of: "<!DOCTYPE a [<!ENTITY % b SYSTEM 'b.dtd'>%b;]><a/>") == "1: it declares an entity")
    }

    @Test func `a document type outside is never loaded`() throws {
        let type = "<!DOCTYPE a SYSTEM 'file:///System/Library/DTDs/CoreData.dtd'>"
        #expect(try read("\(type)<a>text</a>").text == "text")
        #expect(
            refusal(of: "\(type)<a>&elsewhere;</a>") == "1: it refers to an entity that is declared elsewhere"
        )
    }

    @Test func `depth, elements and attributes have limits`() throws {
        let deep = String(repeating: "<a>", count: 128) + String(repeating: "</a>", count: 128)
        #expect(try read(deep).name == "a")
        #expect(refusal(of: "<a>\(deep)</a>") == "1: elements stand more than 128 deep")
        let attributes = (0...200).map { "a\($0)=''" }.joined(separator: " ")
        #expect(refusal(of: "<a \(attributes)/>") == "1: an element has more than 200 attributes")
    }

    @Test func `a written document reads back`() throws {
        let root = XMLElement(
            "a", attributes: [XMLAttribute("x", "<\"&'>\n\t ä")],
            children: [XMLElement("b", text: "1 < 2"), XMLElement("c")])
        let again = try read(XMLDocumentWriter.text(of: root))
        #expect(again.attributes == root.attributes)
        #expect(again.children.map(\.text) == ["1 < 2", ""])
        #expect(try read(XMLDocumentWriter.text(of: XMLElement("a", text: "\u{0}"))).text == "\u{FFFD}")
    }
}
