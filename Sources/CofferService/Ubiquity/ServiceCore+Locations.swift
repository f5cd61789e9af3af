import CofferUbiquity
import CofferWire

/// Where stores are in accounts' folders, as applications ask for it.
extension ServiceCore {
    /// Where a store is to be, checked with the name that it is to have there.
    ///
    /// - Throws: `ServiceError.invalidName` if that would lead elsewhere; `.denied` if there are no
    ///   accounts, or a program in a sandbox asks for what belongs to others.
    func location(
        of key: StoreKey, _ request: OpenStoreRequestMessage, for caller: Caller
    ) throws(ServiceError) -> ContentLocation {
        let accounts = try requireAccounts(ofSandboxed: false)
        let (name, sharing) = (request.ubiquitousContentName, request.sharing)
        if let fault = ContentLocation.fault(of: name) {
            throw .invalidName(field: "ubiquitous_content_name", value: name, reason: fault)
        }
        var roots: [String] = []
        if !sharing.path.isEmpty {
            do throws(AccountError) { roots = try accounts.all().map(\.path) } catch { throw .account(error) }
        }
        let location: ContentLocation
        do throws(ContentLocation.Fault) {
            location = try ContentLocation(
                container: sharing.container, path: sharing.path, application: key.application, roots: roots)
        } catch {
            throw .invalidName(field: error.field, value: error.value, reason: error.reason)
        }
        guard !caller.isSandboxed || location.isOwn(of: caller.application) else {
            throw .denied(
                "\(caller.application) is in a sandbox: its containers are called '\(caller.application)' and '\(caller.application)+…'."
            )
        }
        if !location.folder.isEmpty, name == ContentLocation.valuesFolder {
            throw .invalidName(
                field: "ubiquitous_content_name", value: name,
                reason: "stores have their large values in folders of that name")
        }
        return location
    }
}
