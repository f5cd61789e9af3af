import CofferLinux
import TestSupport
import Testing

@Test(arguments: Seed.fresh(4))
func `sealed memory holds what was put in and no more`(seed: Seed) throws {
    var random = seed.generator()
    let bytes = random.bytes(Int.random(in: 0...100_000, using: &random))
    let descriptor = try Memfd.sealed(bytes)
    let memory = try SealedMemory.map(descriptor.duplicate(), expectedByteCount: bytes.count)
    #expect(memory.copyBytes() == bytes)
    #expect(memory.withBytes { $0.byteCount } == bytes.count)
    #expect(throws: LinuxError.self) { try descriptor.writeAll([1]) }
    #expect(throws: LinuxError.self) { try descriptor.truncate(to: bytes.count + 1) }
    #expect(throws: LinuxError.wrongSize(expected: bytes.count + 1, actual: bytes.count)) {
        try SealedMemory.map(descriptor, expectedByteCount: bytes.count + 1)
    }
}

@Test func `memory that could still change is refused`() throws {
    try withTemporaryFolder { path in
        let file = try Folder(at: path).openBeneath("file", [.readWrite, .create])
        try file.writeAll([1, 2, 3])
        #expect(throws: LinuxError.notSealed) { try SealedMemory.map(file, expectedByteCount: 3) }
    }
    let (reader, _) = try Pipe.make()
    #expect(throws: LinuxError.notSealed) { try SealedMemory.map(reader, expectedByteCount: 0) }
}

@Test func `sealed memory is built from pieces`() throws {
    let builder = try MemfdBuilder()
    try builder.append([1, 2])
    try builder.append([])
    try builder.append([3])
    #expect(builder.byteCount == 3)
    let memory = try SealedMemory.map(builder.seal(), expectedByteCount: 3)
    #expect(memory.copyBytes() == [1, 2, 3])
    #expect(throws: LinuxError.self) { try builder.append([4]) }
    #expect(throws: LinuxError.bufferFull(limit: Limits.sealedMemory)) {
        try SealedMemory.map(Memfd.sealed([]), expectedByteCount: .max)
    }
}

@Test func `random identifiers are version 4 and differ`() {
    let first = Randomness.uuid()
    #expect(first.0 >> 12 & 0xF == 4)
    #expect(first.1 >> 62 == 0b10)
    #expect(first != Randomness.uuid())
    #expect(Randomness.bytes(300).count == 300)
}

@Test func `a seed repeats its numbers`() {
    var first = Seed(9).generator()
    var second = Seed(9).generator()
    #expect(first.bytes(20) == second.bytes(20))
    #expect(Seed.fresh(3, environment: ["COFFER_SEED": "12"]) == [Seed(12)])
    #expect(Set(Seed.fresh(3, environment: [:])).count == 3)
    #expect("\(Seed(12))" == "12")
}
