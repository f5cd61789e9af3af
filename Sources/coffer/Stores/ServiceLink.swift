import Coffer
import CofferModel
import CofferWire

/// A connection to the service, for what is asked of it beside the rows of stores.
struct ServiceLink {
    let client: ChannelClient

    /// Calls one method.
    func call<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some WireMessage, as reply: Reply.Type
    ) throws -> Reply {
        do {
            return try Reply(packed: try client.call(method, payload: request.packed()))
        } catch let error as WireError {
            throw ToolError(.protocolViolation, "\(method.rpcName): \(error)")
        }
    }
}
