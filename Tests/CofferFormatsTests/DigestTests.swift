import CofferFormats
import Testing

struct DigestTests {
    /// From FIPS 180-4's examples, and the empty text.
    static let vectors: [(text: String, sha256: String, sha512: String)] = [
        (
            "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
        ),
    ]

    @Test(arguments: vectors.indices)
    func `published examples have the published digests`(index: Int) {
        let vector = Self.vectors[index]
        #expect(Hexadecimal.text(SHA256.digest(of: vector.text.utf8)) == vector.sha256)
        #expect(Hexadecimal.text(SHA512.digest(of: vector.text.utf8)) == vector.sha512)
    }

    @Test func `a million letters have the published digests`() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            Hexadecimal.text(SHA256.digest(of: text))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        #expect(
            Hexadecimal.text(SHA512.digest(of: text))
                == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
    }

    @Test func `pieces of any size hash like the whole`() {
        let text = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for size in 1...300 {
            var (short, long) = (SHA256(), SHA512())
            for start in stride(from: 0, to: text.count, by: size) {
                let piece = text[start..<min(start + size, text.count)]
                short.update(piece)
                long.update(piece)
                _ = short.digest()  // Asking in between changes nothing.
            }
            #expect(short.digest() == SHA256.digest(of: text), "pieces of \(size)")
            #expect(long.digest() == SHA512.digest(of: text), "pieces of \(size)")
        }
    }

    /// Digests of all lengths around the padding's edges, hashed together; made with another implementation.
    @Test func `every length up to two blocks is padded right`() {
        var (short, long) = (SHA256(), SHA512())
        for count in 0..<260 {
            let text = [UInt8](repeating: 0x5A, count: count)
            short.update(SHA256.digest(of: text))
            long.update(SHA512.digest(of: text))
        }
        #expect(
            Hexadecimal.text(short.digest())
                == "004b7fd0831f6ccfc5cab344ea88bdb87d063c289d0bf32c1b01bf08566e788a")
        #expect(
            Base64.text(of: long.digest())
                == "4DnG2Y4QxtEEec3FTRaEjt3oC4DZcOXI/vgwUid2pP3nU517UjQBCa7FiuqQlJV0RXycMo5DJ78D5cb4S8gjJA==")
    }

    @Test func `base 64 goes both ways`() {
        #expect(Base64.text(of: Array("coffer".utf8)) == "Y29mZmVy")
        #expect(Base64.text(of: [0xFF]) == "/w==")
        #expect(Base64.bytes(of: " Y29m\n\tZmVy ") == Array("coffer".utf8))
        #expect(Base64.bytes(of: "Y2?=") == nil)
    }
}
