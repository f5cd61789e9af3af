internal import CofferModel
package import CofferWire

extension RemoteCoordinator {
    package func pin(_ request: PinRequestMessage) throws(CofferError) -> PinReplyMessage {
        try client.call(.pin, request, of: store(request.store), reply: PinReplyMessage.self)
    }

    package func unpin(_ generation: UInt64, store handle: UInt32) {
        // A store that is not there has nothing pinned.
        if let store = try? store(handle) { client.unpin(generation, of: store) }
    }
}
