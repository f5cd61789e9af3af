package import CofferModel

/// The replies that say nothing but that it is done: `coffer.v1.CloseStoreReply`, `RemoveStoreReply`,
/// `ReleaseReply`.
package struct EmptyMessage: Sendable, Equatable {
    /// The message.
    package init() {}
}

/// `coffer.v1.RegisterModelRequest`.
package struct RegisterModelRequestMessage: Sendable, Equatable {
    /// The model.
    package var model: ManagedObjectModel

    /// A request from its fields.
    package init(model: ManagedObjectModel) { self.model = model }
}

/// `coffer.v1.RegisterModelReply`.
package struct RegisterModelReplyMessage: Sendable, Equatable {
    /// SHA-256 of the packed model.
    package var modelID: [UInt8]

    /// A reply from its fields.
    package init(modelID: [UInt8]) { self.modelID = modelID }
}

/// `coffer.v1.CloseStoreRequest`.
package struct CloseStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A request from its fields.
    package init(store: UInt32) { self.store = store }
}

/// `coffer.v1.ListStoresRequest`.
package struct ListStoresRequestMessage: Sendable, Equatable {
    /// Whether stores of other applications are listed too.
    package var allApplications: Bool

    /// A request from its fields; a field that is left out has its default.
    package init(allApplications: Bool = false) { self.allApplications = allApplications }
}

/// `coffer.v1.ListStoresReply`.
package struct ListStoresReplyMessage: Sendable, Equatable {
    /// The stores.
    package var stores: [StoreDescriptionMessage]

    /// A reply from its fields.
    package init(stores: [StoreDescriptionMessage]) { self.stores = stores }
}

/// `coffer.v1.ConsumerReply`.
package struct ConsumerReplyMessage: Sendable, Equatable {
    /// The oldest number that a token may have.
    package var floor: UInt64
    /// The consumers of the caller's application.
    package var consumers: [HistoryConsumerMessage]

    /// A reply from its fields; a field that is left out has its default.
    package init(floor: UInt64, consumers: [HistoryConsumerMessage] = []) {
        self.floor = floor
        self.consumers = consumers
    }
}

/// `coffer.v1.WatchReply`.
package struct WatchReplyMessage: Sendable, Equatable {
    /// The store's last transaction: what is pushed comes after it.
    package var number: UInt64

    /// A reply from its fields.
    package init(number: UInt64) { self.number = number }
}
