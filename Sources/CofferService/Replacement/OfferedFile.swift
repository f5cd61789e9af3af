import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import CofferWire

/// A file that a client offers to take a store's place, and the folder of its values that are in files.
struct OfferedFile: Sendable {
    let source: OwnedDescriptor
    let values: OwnedDescriptor?

    /// A copy of it beside the store, which has proved to be a store.
    ///
    /// - Parameters:
    ///   - key: The store whose place it is to take.
    ///   - type: How that keeps its objects.
    ///   - model: The model with which clients have the store open; `nil` if no client has it open.
    ///   - caller: The client that offers it; `nil` if the service itself does.
    ///   - service: Whose store it is.
    /// - Returns: The copy.
    /// - Throws: `ServiceError.unfitReplacement`, `.unsealedReplacement`, or why it cannot be one.
    func copy(
        replacing key: StoreKey, of type: StoreType, model: StoreModel?, for caller: Caller?,
        in service: ServiceCore
    ) throws(ServiceError) -> any StoreExchange {
        if type == .sqlite { return try copy(replacing: key, model: model, for: caller, in: service) }
        if type == .memory { throw .unfitReplacement("The store is in memory, and has no file.") }
        _ = try check(for: caller, in: service)
        let folder = try service.places.makeFolder(of: key)
        do throws(StoreError) {
            return try WholeFileReplacement(
                source, of: type, replacing: service.places.fileName(of: key, type), in: folder,
                model: model, configuration: key.configuration)
        } catch {
            throw .store(error)
        }
    }

    /// Such a copy for a store in a file of SQLite.
    func copy(
        replacing key: StoreKey, model: StoreModel?, for caller: Caller?, in service: ServiceCore
    ) throws(ServiceError) -> StoreReplacement {
        let values = try check(for: caller, in: service)
        let folder = try service.places.makeFolder(of: key)
        do throws(StoreError) {
            return try StoreReplacement(
                source, values: values, of: service.places.fileName(of: key), in: folder, model: model,
                configuration: key.configuration)
        } catch {
            throw .store(error)
        }
    }

    /// The folder of its values, if there is one that may be read.
    private func check(for caller: Caller?, in service: ServiceCore) throws(ServiceError) -> Folder? {
        let isFile: Bool
        var folder: Folder?
        do throws(LinuxError) {
            // As with backups: the system's service does not touch folders of its users, nor those that a
            // sandbox sees.
            if let values, !service.places.isSystem, let caller, !caller.isSandboxed {
                folder = try Folder(values, path: "the folder of its values")
            }
            isFile = try source.facts().kind == .file
        } catch {
            throw .system(error)
        }
        // Reading a user's file may never end.
        if service.places.isSystem, !isSealed { throw .unsealedReplacement }
        guard isFile else { throw .unfitReplacement("The descriptor is not that of a regular file.") }
        return folder
    }

    /// Whether it is memory that no process can change any more, and that costs no other one anything.
    private var isSealed: Bool {
        do throws(LinuxError) { try SealedMemory.require(source) } catch { return false }
        return true
    }
}
