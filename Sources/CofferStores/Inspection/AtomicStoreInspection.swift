internal import CofferFormats
internal import CofferLinux
internal import CofferModel

/// Looks into stores whose file is the whole graph.
enum AtomicStoreInspection {
    /// What the file proves to be; `nil` where it is of no kind that is known.
    ///
    /// - Throws: `StoreError.damaged` where it is of a kind that is known, and cannot be read.
    static func of(
        _ fileName: String, in folder: Folder, path: String
    ) throws(StoreError) -> StoreInspection? {
        let bytes: [UInt8]
        do throws(LinuxError) {
            let file = try folder.openFile(fileName)
            guard XMLStoreReader.recognises(try file.read(upTo: 1_024, at: 0)) else { return nil }
            bytes = try folder.read(fileName, limit: Limits.atomicStore)
        } catch {
            if case .bufferFull(let limit) = error {
                throw .tooLarge("the file '\(path)' has more than \(limit) bytes")
            }
            throw StoreError(error)
        }
        let content: AtomicStoreContent
        do throws(FormatError) {
            content = try XMLStoreReader.read(bytes, file: path)
        } catch {
            throw .damaged(path: path, detail: "\(error)")
        }
        return inspection(of: content)
    }

    private static func inspection(of content: AtomicStoreContent) -> StoreInspection {
        var inspection = StoreInspection(storeType: content.metadata["NSStoreType"]?.string ?? "XML")
        inspection.uuid = content.uuid
        inspection.frameworkVersion = content.metadata["NSPersistenceFrameworkVersion"]?.integer
        inspection.versionIdentifiers =
            content.metadata["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string) ?? []
        // The file writes names in capitals; the hashes of its model say how they are written.
        let names = content.metadata["NSStoreModelVersionHashes"]?.dictionary?.keys.sorted() ?? []
        var spelling: [String: String] = [:]
        for name in names { spelling[name.uppercased()] = name }
        var counts: [String: Int] = [:]
        for name in names { counts[name] = 0 }
        for object in content.objects { counts[spelling[object.entity] ?? object.entity, default: 0] += 1 }
        inspection.entities = counts.sorted { $0.key < $1.key }.map { name, rows in
            StoreInspection.Entity(
                name: name, parent: nil, isAbstract: false, rows: rows, attributes: [], relationships: [])
        }
        inspection.health.writing = .refused("stores of this type are only looked at")
        return inspection
    }
}
