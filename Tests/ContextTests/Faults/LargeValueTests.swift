import Coffer
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Values of attributes that allow external storage: they are read when a caller asks for them.
@Suite struct LargeValueTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Picture",
                attributes: [
                    AttributeDefinition("name", .string),
                    AttributeDefinition("data", .binary, isOptional: true, allowsExternalStorage: true),
                ])
        ])
    }

    /// Lends a container whose store has pictures, each with as many bytes as given, all equal to its number,
    /// and the folder of their files.
    private func withPictures(
        _ count: Int, bytes: Int, on backing: Backing,
        _ body: (PersistentContainer, _ files: String) throws -> Void
    ) throws {
        try withContainerAndFolder(model(), on: backing) { container, folder in
            let context = container.newContext()
            for number in 0..<count {
                try context.make(
                    "Picture",
                    ["name": .string("\(number)"), "data": .binary(Self.data(number, bytes))])
            }
            try context.save()
            let all = try FileManager.default.subpathsOfDirectory(atPath: folder)
            let files = all.first { $0.hasSuffix("_EXTERNAL_DATA") } ?? ""
            try body(container, "\(folder)/\(files)")
        }
    }

    private static func data(_ number: Int, _ bytes: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
    }

    private var byName: FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Picture")
        request.sortDescriptors = [QuerySort("name", comparison: .localizedStandard)]
        return request
    }

    @Test(arguments: [false, true], Backing.overFiles)
    func `a fetch reads no large value before one is asked for`(asFaults: Bool, on backing: Backing) throws {
        try withPictures(40, bytes: 300_000, on: backing) { container, files in
            let context = container.newContext()
            // No value can be read now.
            try FileManager.default.moveItem(atPath: files, toPath: files + "x")
            var request = byName
            request.returnsObjectsAsFaults = asFaults
            let pictures = try context.fetch(request)
            if !asFaults {
                #expect(pictures.map { $0["name"].text } == (0..<40).map { "\($0)" })
                #expect(context.statistics.roundTrips == 1)
            }
            try FileManager.default.moveItem(atPath: files + "x", toPath: files)
            for (number, picture) in pictures.enumerated() {
                #expect(picture["data"] == .binary(Self.data(number, 300_000)))
            }
            // One value to learn the size, then as many as fit into 4 MB.
            #expect(context.statistics.roundTrips == 5)
            #expect(context.lastFaultError == nil)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `small values of attributes with external storage are read many at a time`(
        on backing: Backing
    ) throws {
        try withPictures(600, bytes: 500, on: backing) { container, _ in
            let context = container.newContext()
            for (number, picture) in try context.fetch(byName).enumerated() {
                #expect(picture["data"] == .binary(Self.data(number, 500)))
            }
            #expect(context.statistics.roundTrips <= 6)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a fetch that asks for large values returns them, also in dictionaries`(
        on backing: Backing
    ) throws {
        try withPictures(5, bytes: 200_000, on: backing) { container, _ in
            let context = container.newContext()
            var request = byName
            request.includesExternalValues = true
            let pictures = try context.fetch(request)
            #expect(pictures.last?["data"] == .binary(Self.data(4, 200_000)))
            #expect(context.statistics.roundTrips == 1)
            let values = try container.newContext().fetchDictionaries(byName)
            #expect(values.map { $0["data"] } == (0..<5).map { .binary(Self.data($0, 200_000)) })
        }
    }

    @Test(arguments: Backing.overFiles)
    func `an unread large value can be overwritten, merged and seen from a child`(on backing: Backing) throws
    {
        try withPictures(3, bytes: 200_000, on: backing) { container, files in
            let context = container.newContext()
            let other = container.newContext()
            let pictures = try context.fetch(byName)
            let theirs = try other.fetch(byName)
            try theirs[0].setValue(.binary(Self.data(9, 150_000)), forKey: "data")
            try theirs[1].setValue(.string("1b"), forKey: "name")
            try other.save()
            context.mergePendingChanges()
            #expect(pictures[1]["name"].text == "1b")
            #expect(pictures[0]["data"] == .binary(Self.data(9, 150_000)))
            #expect(pictures[1]["data"] == .binary(Self.data(1, 200_000)))
            // Only the file's name travels, and the file stays.
            try pictures[2].setValue(.string("2b"), forKey: "name")
            try context.save()
            #expect(pictures[2]["data"] == .binary(Self.data(2, 200_000)))
            let child = context.newChild()
            #expect(
                try child.fetch(byName).map { $0["data"] }
                    == [
                        .binary(Self.data(9, 150_000)), .binary(Self.data(1, 200_000)),
                        .binary(Self.data(2, 200_000)),
                    ])
            context.delete(pictures[0])
            try context.save()
            #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 2)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `an asynchronous fetch with progress leaves room for large values`(
        on backing: Backing
    ) async throws {
        try await withContainerAndFolder(model(), on: backing) { container, _ in
            let context = container.newContext()
            for number in 0..<30 {
                try context.make(
                    "Picture", ["name": .string("\(number)"), "data": .binary(Self.data(number, 400_000))])
            }
            try context.save()
            let reader = container.newContext()
            let found = try await reader.fetchAsync(byName) { _ in }
            #expect(found.enumerated().allSatisfy { $1["data"] == .binary(Self.data($0, 400_000)) })
        }
    }
}
