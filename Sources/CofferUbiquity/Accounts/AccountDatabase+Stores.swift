internal import CofferSQLite
internal import CofferWire

/// The stores with ubiquitous content names: where each is in its life, and where its files are.
extension AccountDatabase {
    /// Their tables; `AFTER` columns are those of a question that was not answered.
    static let storeSchema = """
        CREATE TABLE IF NOT EXISTS STORE(
            NUMBER INTEGER PRIMARY KEY AUTOINCREMENT, APPLICATION TEXT NOT NULL, CONFIGURATION TEXT NOT NULL,
            NAME TEXT NOT NULL, CONTENT_NAME TEXT NOT NULL, SERVED INTEGER NOT NULL, ACCOUNT INTEGER,
            NEXT INTEGER, NEXT_ACCOUNT INTEGER, TRANSITION INTEGER, QUESTION INTEGER NOT NULL,
            LOCAL_CONTENT INTEGER NOT NULL, LAST_PLACE INTEGER NOT NULL,
            UNIQUE(APPLICATION, CONFIGURATION, NAME)) STRICT;
        CREATE TABLE IF NOT EXISTS PLACE(
            STORE INTEGER NOT NULL, NUMBER INTEGER NOT NULL, ACCOUNT INTEGER, ROLE INTEGER NOT NULL,
            IS_WHOLE INTEGER NOT NULL, SINCE REAL NOT NULL, PRIMARY KEY(STORE, NUMBER)) STRICT;
        """
    private static let storeColumns = """
        SELECT NUMBER, APPLICATION, CONFIGURATION, NAME, CONTENT_NAME, SERVED, ACCOUNT, NEXT, NEXT_ACCOUNT,
        TRANSITION, QUESTION, LOCAL_CONTENT, LAST_PLACE FROM STORE ORDER BY NUMBER
        """

    /// All stores.
    func stores() throws(AccountError) -> [KeptStore] {
        try reading { () throws(SQLiteError) in
            let (places, locations) = (try places(), try locations())
            let statement = try connection.cached(Self.storeColumns)
            defer { statement.reset() }
            var stores: [KeptStore] = []
            while try statement.step() {
                var store = Self.store(in: statement, places[statement.int64(0)] ?? [])
                if let kept = locations[statement.int64(0)] {
                    store.restore(
                        location: kept.location, parted: kept.parted, rejoined: kept.rejoined)
                }
                store.forgetQuestion()
                stores.append(store)
            }
            return stores
        }
    }

    /// Keeps what a store is now, all at once.
    func keep(_ store: KeptStore) throws(AccountError) {
        try writing { () throws(SQLiteError) in
            let number = try write(store)
            for table in ["PLACE", "OWED_PATH"] {
                let removal = try connection.cached("DELETE FROM \(table) WHERE STORE = ?1")
                defer { removal.reset() }
                try removal.bind(number, at: 1)
                try removal.run()
            }
            for place in store.places { try write(place, of: number) }
            let details = Details(
                location: store.location, parted: store.parted, rejoined: store.rejoined)
            try write(details, of: number)
        }
    }

    private func write(_ store: KeptStore) throws(SQLiteError) -> Int64 {
        let statement = try connection.cached(
            """
            INSERT INTO STORE(APPLICATION, CONFIGURATION, NAME, CONTENT_NAME, SERVED, ACCOUNT, NEXT,
                NEXT_ACCOUNT, TRANSITION, QUESTION, LOCAL_CONTENT, LAST_PLACE)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT(APPLICATION, CONFIGURATION, NAME) DO UPDATE SET CONTENT_NAME = ?4, SERVED = ?5,
                ACCOUNT = ?6, NEXT = ?7, NEXT_ACCOUNT = ?8, TRANSITION = ?9, QUESTION = ?10,
                LOCAL_CONTENT = ?11, LAST_PLACE = ?12
            RETURNING NUMBER
            """)
        defer { statement.reset() }
        let question: StoreQuestion? =
            if case .asking(let question) = store.state { question } else { nil }
        for (place, text) in [
            store.name.application, store.name.configuration, store.name.store, store.contentName,
        ].enumerated() {
            try statement.bind(text, at: place + 1)
        }
        let numbers: [Int64?] = [
            store.state.served.number, store.state.served.account, question?.next.number,
            question?.next.account, question.map { Int64($0.kind.rawValue) },
            Int64(clamping: store.lastQuestion), Int64(store.localContent.rawValue), store.lastPlace,
        ]
        for (place, number) in numbers.enumerated() {
            if let number {
                try statement.bind(number, at: place + 5)
            } else {
                try statement.bindNull(at: place + 5)
            }
        }
        return try statement.step() ? statement.int64(0) : 0
    }

    private func write(_ place: KeptStore.Place, of store: Int64) throws(SQLiteError) {
        let statement = try connection.cached("INSERT INTO PLACE VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
        defer { statement.reset() }
        try statement.bind(store, at: 1)
        try statement.bind(place.number, at: 2)
        if let account = place.account {
            try statement.bind(account, at: 3)
        } else {
            try statement.bindNull(at: 3)
        }
        try statement.bind(place.role.rawValue, at: 4)
        try statement.bind(Int64(place.isWhole ? 1 : 0), at: 5)
        try statement.bind(place.since, at: 6)
        try statement.run()
        if let path = place.owedPath { try write(owedPath: path, of: place.number, in: store) }
    }

    private func places() throws(SQLiteError) -> [Int64: [KeptStore.Place]] {
        let statement = try connection.cached(
            "SELECT STORE, NUMBER, ACCOUNT, ROLE, IS_WHOLE, SINCE FROM PLACE ORDER BY STORE, NUMBER")
        defer { statement.reset() }
        let owedPaths = try owedPaths()
        var places: [Int64: [KeptStore.Place]] = [:]
        while try statement.step() {
            let (store, number) = (statement.int64(0), statement.int64(1))
            places[store, default: []].append(
                KeptStore.Place(
                    number: number, account: statement.isNull(2) ? nil : statement.int64(2),
                    role: .init(rawValue: statement.int64(3)) ?? .former, isWhole: statement.int64(4) != 0,
                    since: statement.double(5), owedPath: owedPaths[store]?[number]))
        }
        return places
    }

    /// A question that was not answered does not count any more: the clients that were asked have gone
    /// with the service.
    private static func store(in statement: SQLiteStatement, _ places: [KeptStore.Place]) -> KeptStore {
        var store = KeptStore(
            KeptStore.Name(
                application: statement.text(1), configuration: statement.text(2), store: statement.text(3)),
            contentName: statement.text(4), places: places, lastPlace: statement.int64(12))
        store.state = .serving(
            ServedContent(statement.int64(5), account: statement.isNull(6) ? nil : statement.int64(6)))
        store.lastQuestion = UInt64(clamping: statement.int64(10))
        store.localContent =
            UInt32(exactly: statement.int64(11)).flatMap { LocalContentMessage(rawValue: $0) } ?? .keep
        return store
    }
}

extension ServedContent {
    /// What a row says.
    fileprivate init(_ number: Int64, account: Int64?) {
        self =
            switch (number, account) {
            case (1, let account?): .fallback(of: account)
            case (2, let account?): .live(of: account)
            case (3, let account?): .rebuilding(of: account)
            case (4, _): .none
            default: .local
            }
    }

    /// What a row says of it.
    fileprivate var number: Int64 {
        switch self {
        case .local: 0
        case .fallback: 1
        case .live: 2
        case .rebuilding: 3
        case .none: 4
        }
    }
}
