internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension StoreNameMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreName>) {
        unsafe coffer__v1__store_name__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreName>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            application: c.application.text("coffer.v1.StoreName.application"),
            configuration: c.configuration.optionalText("coffer.v1.StoreName.configuration")
                ?? ManagedObjectModel.defaultConfiguration,
            name: c.name.text("coffer.v1.StoreName.name"))
    }

    func fill(_ c: inout Coffer__V1__StoreName, in arena: inout PackArena) {
        unsafe c.application = arena.text(application)
        unsafe c.configuration = arena.text(configuration)
        unsafe c.name = arena.text(name)
    }
}

extension RegisterModelRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelRequest>) {
        unsafe coffer__v1__register_model_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelRequest>) throws(WireError) {
        let c = unsafe message.pointee
        let model = try unsafe required(
            c.model, "coffer.v1.RegisterModelRequest.model", as: ModelMessage.self)
        self.init(model: model.model)
    }

    func fill(_ c: inout Coffer__V1__RegisterModelRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.model = arena.make(ModelMessage(model))
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension RegisterModelReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelReply>) {
        unsafe coffer__v1__register_model_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(modelID: c.model_id.digest("coffer.v1.RegisterModelReply.model_id"))
    }

    func fill(_ c: inout Coffer__V1__RegisterModelReply, in arena: inout PackArena) {
        unsafe c.model_id = arena.data(modelID)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

/// `coffer.v1.StoreOption`.
private struct StoreOption {
    var key: String
    var value: String
}

extension StoreOption: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreOption>) {
        unsafe coffer__v1__store_option__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreOption>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            key: c.key.text("coffer.v1.StoreOption.key"),
            value: c.value.text("coffer.v1.StoreOption.value", limit: Limits.text))
    }

    func fill(_ c: inout Coffer__V1__StoreOption, in arena: inout PackArena) {
        unsafe c.key = arena.text(key)
        unsafe c.value = arena.text(value)
    }
}

extension OpenStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreRequest>) {
        unsafe coffer__v1__open_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        let options = try unsafe messages(
            c.pragmas, count: c.n_pragmas, field: "coffer.v1.OpenStoreRequest.pragmas", limit: Limits.list,
            as: StoreOption.self)
        try unsafe self.init(
            name: required(c.name, "coffer.v1.OpenStoreRequest.name"),
            modelID: c.model_id.digest("coffer.v1.OpenStoreRequest.model_id"),
            mustExist: c.must_exist != 0, isReadOnly: c.read_only != 0,
            pragmas: dictionary(options.map { ($0.key, $0.value) }, "coffer.v1.OpenStoreRequest.pragmas"),
            watch: c.watch != 0, adopts: c.adopt != 0,
            type: StoreType.read(c.type, "coffer.v1.OpenStoreRequest.type"), migrates: c.migrate != 0,
            route: optional(c.route),
            ubiquitousContentName: c.ubiquitous_content_name.text(
                "coffer.v1.OpenStoreRequest.ubiquitous_content_name"),
            migration: c.migration.optionalUUID("coffer.v1.OpenStoreRequest.migration"))
        former = try unsafe c.former.optionalUUID("coffer.v1.OpenStoreRequest.former")
        sharing = try unsafe SharingOptionsMessage(
            needsAccount: c.needs_account != 0, rebuilds: c.rebuild != 0,
            path: c.ubiquitous_content_path.text(
                "coffer.v1.OpenStoreRequest.ubiquitous_content_path"),
            container: c.ubiquitous_container.text("coffer.v1.OpenStoreRequest.ubiquitous_container"))
        if unsafe c.local_content.rawValue != 0 {
            localContent = try unsafe choice(
                c.local_content.rawValue, "coffer.v1.OpenStoreRequest.local_content")
        }
    }

    func fill(_ c: inout Coffer__V1__OpenStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.model_id = arena.data(modelID)
        unsafe c.must_exist = mustExist ? 1 : 0
        unsafe c.read_only = isReadOnly ? 1 : 0
        let options = pragmas.sorted { $0.key < $1.key }.map { StoreOption(key: $0.key, value: $0.value) }
        try unsafe (c.n_pragmas, c.pragmas) = arena.list(options)
        unsafe c.watch = watch ? 1 : 0
        unsafe c.adopt = adopts ? 1 : 0
        unsafe c.type = StoreType.written(type)
        unsafe c.migrate = migrates ? 1 : 0
        try unsafe c.route = arena.makeOptional(route)
        unsafe c.ubiquitous_content_name = arena.text(ubiquitousContentName)
        unsafe c.local_content = Coffer__V1__LocalContent(rawValue: localContent?.rawValue ?? 0)
        unsafe (c.needs_account, c.rebuild) = (sharing.needsAccount ? 1 : 0, sharing.rebuilds ? 1 : 0)
        unsafe c.ubiquitous_content_path = arena.text(sharing.path)
        unsafe c.ubiquitous_container = arena.text(sharing.container)
        if let migration { unsafe c.migration = arena.uuid(migration) }
        if let former { unsafe c.former = arena.uuid(former) }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension OpenStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreReply>) {
        unsafe coffer__v1__open_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        switch unsafe c.outcome_case {
        case COFFER__V1__OPEN_STORE_REPLY__OUTCOME_OPENED:
            self = .opened(try unsafe required(c.opened, "coffer.v1.OpenStoreReply.opened"))
        case COFFER__V1__OPEN_STORE_REPLY__OUTCOME_NEED_MODEL: self = .needModel
        case COFFER__V1__OPEN_STORE_REPLY__OUTCOME_INCOMPATIBLE:
            self = .incompatible(try unsafe required(c.incompatible, "coffer.v1.OpenStoreReply.incompatible"))
        default: throw .malformed("coffer.v1.OpenStoreReply: without an outcome")
        }
    }

    func fill(_ c: inout Coffer__V1__OpenStoreReply, in arena: inout PackArena) throws(WireError) {
        switch self {
        case .opened(let opened):
            unsafe c.outcome_case = COFFER__V1__OPEN_STORE_REPLY__OUTCOME_OPENED
            try unsafe c.opened = arena.make(opened)
        case .needModel:
            unsafe c.outcome_case = COFFER__V1__OPEN_STORE_REPLY__OUTCOME_NEED_MODEL
            unsafe c.need_model = arena.make(empty: coffer__v1__need_model__init)
        case .incompatible(let incompatible):
            unsafe c.outcome_case = COFFER__V1__OPEN_STORE_REPLY__OUTCOME_INCOMPATIBLE
            try unsafe c.incompatible = arena.make(incompatible)
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension IncompatibleModelMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__IncompatibleModel>) {
        unsafe coffer__v1__incompatible_model__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__IncompatibleModel>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            differing: texts(
                c.differing_entities, count: c.n_differing_entities,
                field: "coffer.v1.IncompatibleModel.differing_entities"),
            missing: texts(
                c.missing_entities, count: c.n_missing_entities,
                field: "coffer.v1.IncompatibleModel.missing_entities"),
            unknown: texts(
                c.unknown_entities, count: c.n_unknown_entities,
                field: "coffer.v1.IncompatibleModel.unknown_entities"),
            changes: texts(
                c.changes, count: c.n_changes, field: "coffer.v1.IncompatibleModel.changes",
                limit: Limits.modelChanges))
    }

    func fill(_ c: inout Coffer__V1__IncompatibleModel, in arena: inout PackArena) throws(WireError) {
        unsafe (c.n_differing_entities, c.differing_entities) = arena.texts(differing)
        unsafe (c.n_missing_entities, c.missing_entities) = arena.texts(missing)
        unsafe (c.n_unknown_entities, c.unknown_entities) = arena.texts(unknown)
        unsafe (c.n_changes, c.changes) = arena.texts(changes)
    }
}

extension StoreOpenedMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreOpened>) {
        unsafe coffer__v1__store_opened__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreOpened>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store, uuid: c.uuid.uuid("coffer.v1.StoreOpened.uuid"), number: c.number, floor: c.floor,
            path: c.path.text("coffer.v1.StoreOpened.path"),
            modelID: c.model_id.digest("coffer.v1.StoreOpened.model_id"), isCreated: c.created != 0,
            model: optional(c.model, as: ModelMessage.self)?.model)
    }

    func fill(_ c: inout Coffer__V1__StoreOpened, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
        unsafe c.floor = floor
        unsafe c.path = arena.text(path)
        unsafe c.model_id = arena.data(modelID)
        unsafe c.created = isCreated ? 1 : 0
        try unsafe c.model = arena.makeOptional(model.map { ModelMessage($0) })
    }
}
