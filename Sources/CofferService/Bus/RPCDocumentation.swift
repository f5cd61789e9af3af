/// What each rpc is for, for people who read the interface without Protos/.
enum RPCDocumentation {
    /// How all of them travel.
    static let conventions = """
        The storage service.
        Each method up to Watch is the rpc of that name of 'service Storage' or 'service Accounts' in Protos/coffer/v1: 'request' is its packed
        message, 'reply' the packed answer. A message over 1 MiB travels as one sealed memory instead, in 'descriptors', beside empty bytes.
        Errors are org.coffer.Storage1.Error.<Code>.<reason>, with gRPC's codes, a word for programs, if there is one, and a text for people.
        The first call is Hello, which begins the session of a name on the bus; it ends with that name.
        A fetch ends with its caller too, and after five minutes: over a channel its caller says how long it waits, and may take it back.
        """

    /// A sentence for each, by the name of the rpc.
    static let texts = [
        "Hello": "Begins the session: names the application and the process.",
        "RegisterModel":
            "Makes a managed object model known; answers its id, the SHA-256 of its packed form.",
        "OpenStore":
            "Opens or makes a store of the caller's; answers a handle, or that the model is needed or does not fit.",
        "CloseStore": "Gives a handle back.",
        "ListStores":
            "Lists the caller's stores: those of its application, or of all unless it runs in a sandbox.",
        "RemoveStore":
            "Deletes the files of a store that is not open; those of an open one, too, once the programs that have it open were asked.",
        "ReplaceStore":
            "Puts the file whose descriptor comes along, with values in the folder of a second one, in the place of a store's, once the programs that have it open were asked.",
        "BackupStore":
            "Copies a store, while others write, into the folder whose descriptor comes along, or into a file whose descriptor is answered.",
        "CopyStore":
            "Makes a new store of any type with all that is in a store, while others write, in the folder whose descriptor comes along.",
        "MoveStore":
            "Takes a store to another type in its place, once the programs that have it open were asked.",
        "VacuumStore":
            "Makes a store's file as small as it can be, while others read; saves wait meanwhile.",
        "MigrateStore":
            "Takes a store to another model, once the programs that have it open were asked; or only tells what that would do.",
        "Fetch": "Finds objects: rows in columns, ids, dictionaries or a count.",
        "Explain": "Tells the SQL of a fetch, without values, and SQLite's plan; reads no rows.",
        "Rows": "Reads objects by id.",
        "Relationship": "Reads the objects at the other end of a to-many relationship.",
        "Release": "Says that the caller holds rows no longer, so that their changes need no push.",
        "Save":
            "Writes objects in one transaction, durable when it answers; or answers conflicts and what is not valid.",
        "ReserveKeys": "Gives out primary keys for objects that later saves insert.",
        "History": "Lists the transactions after a token, in pages.",
        "Consumer": "Notes how far a reader of history has come, so that history is kept for it.",
        "Metadata": "Reads and changes the notes that a store keeps of itself.",
        "PurgeHistory": "Deletes history that the application and all its consumers have.",
        "Pin": "Keeps the present state of a store readable, whatever is written meanwhile.",
        "SignIn": "Signs in to the account of a folder that other software carries, and out of any other.",
        "SignOut": "Signs out of the account that is signed in.",
        "ListAccounts": "Lists the accounts that are or were signed in.",
        "IdentityToken":
            "Tells what the caller's application knows the account by that is signed in: 32 bytes that say nothing else.",
        "UbiquityStatus":
            "Tells how far the stores are that are open and shared with other machines.",
        "SyncStatus":
            "Tells how far a shared store is that the caller has open, and pushes once that it is further.",
        "ListConflicts":
            "Lists what merging with other machines overruled in a store that the caller has open.",
        "ListViolations":
            "Lists what the model forbids of a shared store that the caller has open, and merging brought about.",
        "UndoConflict": "Saves what a conflict overruled, as an edit of the caller's.",
        "ListFormer": "Lists what was put aside of shared stores, and until when it is kept.",
        "RestoreFormer":
            "Joins what was put aside into what its store is served with; it is kept as long as otherwise.",
        "ListDebts":
            "Lists how much stores have written for other machines that is not in an account's container yet.",
        "RemoveUbiquitousContent":
            "Removes the content of a shared store from the account's container, for all machines.",
        "SeedStore":
            "Fills a shared store with the objects of a file, whose folder comes along; again changes nothing.",
        "Watch": "Asks for Push signals about every change of a store.",
    ]
}
