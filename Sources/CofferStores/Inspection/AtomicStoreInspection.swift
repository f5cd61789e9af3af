internal import CofferFormats
internal import CofferLinux
internal import CofferModel

/// Looks into stores whose file is the whole graph.
enum AtomicStoreInspection {
    /// What the file proves to be, with `model` if it keeps none; `nil` if it is not of a known kind.
    ///
    /// - Throws: `StoreError.damaged` if it is of a known kind and cannot be read.
    static func of(
        _ fileName: String, in folder: Folder, path: String, model: ManagedObjectModel?
    ) throws(StoreError) -> StoreInspection? {
        guard let type = try StoreType(ofContent: fileName, in: folder) else { return nil }
        let bytes: [UInt8]
        do throws(LinuxError) {
            bytes = try folder.read(fileName, limit: Limits.atomicFileBytes)
        } catch {
            if case .bufferFull(let limit) = error {
                throw .tooLarge("the file '\(path)' has more than \(limit) bytes")
            }
            throw StoreError(error)
        }
        let content = try type.format.content(of: bytes, path: path)
        var inspection = facts(of: content, type)
        do throws(StoreError) {
            let metadata = try AtomicMetadata(content.metadata, path: path)
            inspection.isOwn = metadata.isOwn
            inspection.health.writing =
                metadata.isOwn ? .ready : .adoption(AtomicMetadata.additions)
            inspection.modelSource = model != nil ? .given : metadata.model != nil ? .store : .none
            inspection.model = model ?? metadata.model?.model
            if inspection.model == nil { guess(of: bytes, content, type, in: &inspection, path: path) }
        } catch {
            inspection.health.problems.append(error.description)
        }
        count(content, in: &inspection)
        return inspection
    }

    /// Takes the model that the objects tell, if they tell one.
    private static func guess(
        of bytes: [UInt8], _ content: AtomicStoreContent, _ type: StoreType,
        in inspection: inout StoreInspection, path: String
    ) {
        do throws(StoreError) {
            inspection.model = try type.format.guessedModel(of: bytes, content, path: path).model
            inspection.modelSource = .guessed
            inspection.health.writing = .refused(StoreInspection.guessedText)
        } catch {
            return  // That a file keeps no model is a fact of it, which modelSource says, and no fault.
        }
    }

    private static func facts(of content: AtomicStoreContent, _ type: StoreType) -> StoreInspection {
        var inspection = StoreInspection(
            storeType: type == .xml ? content.metadata["NSStoreType"]?.string ?? "XML" : "Binary")
        inspection.uuid = content.uuid
        inspection.frameworkVersion = content.metadata["NSPersistenceFrameworkVersion"]?.integer
        inspection.versionIdentifiers =
            content.metadata["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string) ?? []
        return inspection
    }

    private static func count(_ content: AtomicStoreContent, in inspection: inout StoreInspection) {
        let hashed = content.metadata["NSStoreModelVersionHashes"]?.dictionary?.keys.sorted() ?? []
        // An XML file writes names in capitals; the model or the hashes say how they are written.
        var spelling: [String: String] = [:]
        for name in inspection.model?.entities.map(\.name) ?? hashed { spelling[name.uppercased()] = name }
        var counts: [String: Int] = [:]
        for name in hashed { counts[name] = 0 }
        for object in content.objects {
            counts[spelling[object.entity.uppercased()] ?? object.entity, default: 0] += 1
        }
        inspection.entities = counts.sorted { $0.key < $1.key }.map { name, rows in
            if let model = inspection.model, let entity = model.entity(named: name) {
                return StoreInspection.Entity(entity, of: model, rows: rows)
            }
            return StoreInspection.Entity(
                name: name, parent: nil, isAbstract: false, rows: rows, attributes: [], relationships: [])
        }
    }
}
