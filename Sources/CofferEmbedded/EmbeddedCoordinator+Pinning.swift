package import Coffer
import CofferCoordination
import CofferStores
package import CofferWire

extension EmbeddedCoordinator {
    package func pin(_ request: PinRequestMessage) throws(CofferError) -> PinReplyMessage {
        try translating { () throws(StoreError) in
            let (generation, number) = try store(request.store).pin()
            return PinReplyMessage(generation: generation, number: number)
        }
    }

    package func unpin(_ generation: UInt64, store handle: UInt32) {
        // A store that is not there has nothing pinned.
        if let store = try? store(handle) { store.unpin(generation) }
    }
}
