package import Coffer
package import CofferModel
import Foundation
import Testing

/// Albums of photos, whose data is in files beside the store.
package enum Album {
    /// The model.
    package static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Album") {
                Field("name", .string)
                Many("photos", "Photo", inverse: "album", deleteRule: .cascade)
            }
            Entity("Photo") {
                Field("name", .string)
                Field("data", .binary).externalStorage().optional()
                One("album", "Album", inverse: "photos")
            }
            Entity("Panorama", parent: "Photo") { Field("degrees", .integer16).default(360) }
        }
    }

    /// Lends a container whose store has an album with so many photos, each with `bytes` bytes of its number,
    /// and its files.
    package static func with(
        photos count: Int, bytes: Int = 200_000, on backing: Backing,
        _ body: (PersistentContainer, PhotoFiles) throws -> Void
    ) throws {
        try withContainerAndFolder(model(), on: backing) { container, folder in
            try fill(container, photos: count, bytes: bytes)
            try body(container, try PhotoFiles(in: folder))
        }
    }

    /// Saves an album with so many photos.
    package static func fill(_ container: PersistentContainer, photos count: Int, bytes: Int = 200_000) throws
    {
        let context = container.newContext()
        let album = try context.make("Album", ["name": "album"])
        for number in 0..<count {
            let photo = try context.make(
                number % 4 == 3 ? "Panorama" : "Photo",
                ["name": .string("\(number)"), "data": data(number, bytes)])
            try photo.setObjects([album], forKey: "album")
        }
        try context.save()
    }

    /// So many bytes of a number.
    package static func data(_ number: Int, _ bytes: Int = 200_000) -> AttributeValue {
        .binary([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes))
    }
}

/// The files of photos' data.
package struct PhotoFiles {
    /// The folder that they are in.
    package let path: String

    /// Those below `folder`, in which one store has such files.
    package init(in folder: String) throws {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder)
        path = "\(folder)/\(try #require(all.first { $0.hasSuffix("_EXTERNAL_DATA") }))"
    }

    /// How many there are.
    package var count: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).count }
    }

    /// Calls `body` while the files are away: code that reads one meets an error.
    package func away<Result>(_ body: () throws -> Result) throws -> Result {
        try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
        defer { try? FileManager.default.moveItem(atPath: path + "-away", toPath: path) }
        return try body()
    }
}

extension FetchRequest<ManagedObject> {
    /// All photos, panoramas among them, by number.
    package static var photos: FetchRequest {
        var request = FetchRequest(entityName: "Photo")
        request.sortDescriptors = [QuerySort("name", comparison: .localizedStandard)]
        return request
    }
    /// All photos, as faults.
    package static var photoFaults: FetchRequest {
        var request = photos
        request.includesPropertyValues = false
        return request
    }
    /// The album.
    package static var albums: FetchRequest { FetchRequest(entityName: "Album") }
}

extension ManagedObject {
    /// The number that a photo's data consists of; -1 if it has none, or something else.
    package var dataNumber: Int {
        guard case .binary(let bytes) = self["data"], let first = bytes.first else { return -1 }
        return bytes.allSatisfy { $0 == first } ? Int(first) : -1
    }
}

extension [ManagedObject] {
    /// Their names.
    package var photoNames: [String] { map { $0["name"].text } }
    /// The numbers that their data consists of.
    package var dataNumbers: [Int] { map(\.dataNumber) }
}
