/// Tables that every store has, whatever its model.
enum FixedTables {
    /// The names of those that are read wherever they exist.
    static let names = [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
        "COFFER_STATE", "COFFER_MODEL", "COFFER_REQUEST", "COFFER_CONSUMER", "COFFER_DECIMAL",
        "COFFER_RESERVED", "COFFER_EXTERNAL", "COFFER_RECORD", "COFFER_RUN", "COFFER_ROW", "COFFER_LINK",
        "COFFER_FACT", "COFFER_LARGE", "COFFER_PEER", "COFFER_FOLD", "COFFER_OUTBOX", "COFFER_BASELINE",
        "COFFER_OBJECT", "COFFER_VALUE", "COFFER_PIECE", "COFFER_CONFLICT", transactionTable,
        SortKeyTables.lists, SortKeyTables.keys,
    ]

    /// Core Data's own.
    static let system = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    /// Core Data's history, with its indexes.
    static let history = [
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
            + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, "
            + "ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, "
            + "ZQUERYGEN BLOB )",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        // Core Data also has six indexes on ATRANSACTION, and one on the transaction of ACHANGE. Each means
        // one more page for every save to write and flush, and nothing reads them: `COFFER_TRANSACTION` says
        // where a transaction's changes begin.
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]

    /// History's rows of `Z_PRIMARYKEY`, for a store that has none yet.
    static let historyNumbering = historyNumbering(withStrings: true)

    /// The rows of `Z_PRIMARYKEY` for the tables of a history, which may have none for names.
    static func historyNumbering(withStrings hasStrings: Bool) -> [String] {
        let tables = [(changeEntity, "CHANGE"), (transactionEntity, "TRANSACTION")]
        return (tables + (hasStrings ? [(stringEntity, "TRANSACTIONSTRING")] : [])).map { number, name in
            "INSERT OR IGNORE INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
                + "VALUES(\(number), '\(name)', 0, 0)"
        }
    }

    /// Our own tables, which other readers ignore.
    static let coffer = [
        "CREATE TABLE COFFER_STATE (name VARCHAR PRIMARY KEY, value) WITHOUT ROWID",
        "CREATE TABLE COFFER_MODEL (id BLOB PRIMARY KEY, model BLOB) WITHOUT ROWID",
        "CREATE TABLE COFFER_REQUEST (client BLOB, sequence INTEGER, number INTEGER, reply BLOB, "
            + "timestamp REAL, PRIMARY KEY (client, sequence)) WITHOUT ROWID",
        "CREATE TABLE COFFER_CONSUMER (application VARCHAR, name VARCHAR, acknowledged INTEGER, lease REAL, "
            + "PRIMARY KEY (application, name)) WITHOUT ROWID",
        "CREATE TABLE COFFER_DECIMAL (relation VARCHAR, key INTEGER, property VARCHAR, digits VARCHAR, "
            + "PRIMARY KEY (relation, key, property)) WITHOUT ROWID",
        reserved, transactions,
    ]

    /// The names of ours, in capitals, that no other program's tables may have; other tables are created if
    /// they are missing.
    static let ownNames = [
        "COFFER_STATE", "COFFER_MODEL", "COFFER_REQUEST", "COFFER_CONSUMER", "COFFER_DECIMAL",
    ]

    /// The columns that history needs in each of its tables to be written: names are keys of a table of
    /// strings, or stand in the transactions, as Core Data 851 has them.
    static func historyColumns(withStrings hasStrings: Bool) -> [(table: String, columns: [String])] {
        var names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
        // Names may stand in the transaction all the same.
        if hasStrings { names += names.map { $0 + "TS" } }
        let tables = [
            (
                "ACHANGE",
                ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
            ),
            ("ATRANSACTION", ["Z_PK", "Z_ENT", "ZTIMESTAMP"] + names),
        ]
        return tables + (hasStrings ? [("ATRANSACTIONSTRING", ["Z_PK", "Z_ENT", "ZNAME"])] : [])
    }

    /// Keys that were reserved for objects that are not saved yet, as ranges, by the root of their tree.
    static let reserved =
        "CREATE TABLE IF NOT EXISTS COFFER_RESERVED (root INTEGER, first INTEGER, last INTEGER, "
        + "PRIMARY KEY (root, first)) WITHOUT ROWID"

    /// External files that no row names any more, until they are removed; in our stores only, if the model
    /// allows such files.
    static let external =
        "CREATE TABLE IF NOT EXISTS COFFER_EXTERNAL (id INTEGER PRIMARY KEY, name VARCHAR)"

    /// The name of the table that `transactions` creates.
    static let transactionTable = "COFFER_TRANSACTION"

    /// Our part of history's transactions: Coffer wrote those with a row here, and no others.
    ///
    /// `first` is the key of the transaction's first change, which its others follow. For requests that may
    /// be sent again, `client` is the sender, `sequence` the number of the request, and `reply` its answer.
    /// That is one more row for each transaction, but one that is put behind the last: a page for each
    /// commit.
    static let transactions =
        "CREATE TABLE IF NOT EXISTS \(transactionTable) (number INTEGER PRIMARY KEY, first INTEGER, client BLOB, "
        + "sequence INTEGER, reply BLOB)"

    /// Columns of ATRANSACTION in which older stores of ours kept what `transactions` keeps now, in its
    /// order.
    static let formerColumns = ["COFFER_FIRST", "COFFER_CLIENT", "COFFER_SEQUENCE", "COFFER_REPLY"]

    /// The query for the number of the last transaction.
    ///
    /// The row of that transaction tells; the counter runs ahead of it, and is used only for a history that
    /// was emptied.
    static func lastTransaction(hasHistory: Bool) -> String {
        let row = hasHistory ? "(SELECT max(Z_PK) FROM ATRANSACTION)" : "NULL"
        return "SELECT ifnull(\(row), (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(transactionEntity)))"
    }

    /// The entity numbers of history in `Z_PRIMARYKEY`.
    static let changeEntity = 16_001
    static let transactionEntity = 16_002
    static let stringEntity = 16_003
}
