import CofferContainer
import CofferMerge
import Testing

struct ObjectNameTests {
    private static let hash = ObjectHash(of: Array("some bytes".utf8))
    private static let peer = PeerID(0x0123_4567_89AB_CDEF)

    private static let names: [(ObjectName, String)] = [
        (
            ObjectName(.marker(ContainerID(high: 1, low: 0xFF)), hash: hash),
            "c-000000000000000100000000000000ff.coffer"
        ),
        (ObjectName(.keys(KeyID(number: 10)), hash: hash), "k-000000000000000a-\(hash).coffer"),
        (ObjectName(.log(peer, folds: 3...17), hash: hash), "l-0123456789abcdef-3-17-\(hash).coffer"),
        (ObjectName(.baseline(peer, number: 2), hash: hash), "b-0123456789abcdef-2-\(hash).coffer"),
        (ObjectName(.part, hash: hash), "p-\(hash).coffer"),
        (ObjectName(.model, hash: hash), "m-\(hash).coffer"),
        (ObjectName(.data, hash: hash), "data/\(hash).coffer"),
    ]

    @Test(arguments: names)
    func `an object's name says what it is, and is read again`(name: ObjectName, text: String) {
        #expect(name.description == text)
        #expect(ObjectName(text) == name)
    }

    @Test(arguments: names)
    func `no other text stands for the same object`(name: ObjectName, text: String) {
        for other in [
            text.uppercased(), text + " ", " " + text, text.replacing(".coffer", with: " (1).coffer"),
            text.replacing(".coffer", with: ".sync-conflict-20261125-101010-ABCDEFG.coffer"),
            text.replacing("-", with: "--"), text.replacing("-3-", with: "-03-"), "./" + text,
            text + ".coffer",
            String(text.dropLast(7)),
        ] where other != text {
            #expect(ObjectName(other) == nil, "'\(other)'")
        }
    }

    @Test(arguments: [
        "l-0123456789abcdef-17-3-\(hash).coffer", "l-0123456789abcdef-0-3-\(hash).coffer",
        "l-0123456789abcdef-1-18446744073709551616-\(hash).coffer", "x-\(hash).coffer", ".coffer", "",
        "c-\(hash).coffer", "p-.coffer", "data/.coffer", "data/data/\(hash).coffer", "k-\(hash).coffer",
    ])
    func `what names no object is none`(text: String) {
        #expect(ObjectName(text) == nil)
    }

    @Test func `no name matches what people exclude from the folders that they share`() {
        for (name, _) in Self.names {
            let text = name.description
            for excluded in [".log", ".tmp", ".part", "cache", "conflict", "~"] {
                #expect(!text.contains(excluded))
            }
            #expect(text == text.lowercased())
            #expect(text.utf8.count <= 128)
        }
    }
}
