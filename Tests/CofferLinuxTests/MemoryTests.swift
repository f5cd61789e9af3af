import CofferLinux
import Foundation
import TestSupport
import Testing

@Test(arguments: Seed.several(4))
func `sealed memory holds what was put in and nothing else`(seed: Seed) throws {
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

@Test func `memory with holes is refused, since its reader would pay for it`() throws {
    let builder = try MemfdBuilder(name: "coffer-holes")
    try builder.append([1, 2, 3])
    let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let link = try #require(
        links.map { "/proc/self/fd/\($0)" }.first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: $0))?.contains("coffer-holes")
                ?? false
        })
    let again = unsafe OwnedDescriptor(owning: open(link, O_RDWR))
    try again.truncate(to: 1 << 20)
    let memory = try builder.seal()
    #expect(throws: LinuxError.wrongSize(expected: 1 << 20, actual: 4_096)) {
        try SealedMemory.require(memory)
    }
    #expect(throws: LinuxError.self) { try SealedMemory.map(memory, expectedByteCount: 1 << 20) }
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
    #expect(Seed.several(3, environment: ["COFFER_SEED": "12"]) == [Seed(12)])
    #expect(Set(Seed.several(9, environment: [:])).count == 3)
    let all = ["COFFER_TEST_ALL": "1"]
    #expect(Set(Seed.several(9, environment: all)).count == 9)
    #expect(Seed.several(9, environment: all).starts(with: Seed.several(9, environment: [:])))
    let fresh = ["COFFER_SEED": "fresh"]
    #expect(Seed.several(9, environment: fresh) != Seed.several(9, environment: fresh))
    #expect("\(Seed(12))" == "12")
}

@Test func `pressure is heard from the file that a service manager names`() throws {
    try withTemporaryFolder { path in
        let pipe = "\(path)/pipe"
        #expect(try ChildProcess("mkfifo", arguments: [pipe]).waitForExit() == .code(0))
        let pressure = try #require(MemoryPressure(environment: ["MEMORY_PRESSURE_WATCH": pipe]))
        #expect(pressure.events == .readable)
        let epoll = try Epoll()
        try epoll.add(pressure.number, token: 1, events: pressure.events, edgeTriggered: true)
        var batch = EpollBatch(capacity: 1)
        for _ in 1...3 {
            // The process that tells may come and go.
            try Folder(at: path).openBeneath("pipe", [.writeOnly]).writeAll([UInt8](repeating: 1, count: 100))
            try epoll.wait(into: &batch, timeoutMilliseconds: 10_000)
            #expect(batch.count == 1)
            pressure.drain()
        }
        try epoll.wait(into: &batch, timeoutMilliseconds: 0)
        #expect(batch.count == 0)
    }
}

@Test func `what a service manager asks for is written into its file`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        try folder.replace("pressure", with: [])
        let watch = [
            "MEMORY_PRESSURE_WATCH": "\(path)/pressure",
            "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA=",
        ]
        let pressure = try #require(MemoryPressure(environment: watch))
        #expect(pressure.events == .urgent)
        #expect(try folder.read("pressure", limit: 100) == Array("some 200000 2000000\0".utf8))
        let wrong = watch.merging(["MEMORY_PRESSURE_WRITE": "no base64!"]) { $1 }
        #expect(MemoryPressure(environment: wrong) == nil)
        #expect(MemoryPressure(environment: ["MEMORY_PRESSURE_WATCH": "\(path)/nothing"]) == nil)
        #expect(MemoryPressure(environment: ["MEMORY_PRESSURE_WATCH": "/dev/null"]) == nil)
    }
}
