/// Bounds on what callers say of accounts, on what is done at once, and on what is remembered of stores.
enum Limits {
    /// Folds whose transactions are remembered; older saves are told as exported with the next fold that is.
    static let foldMarks = 1_000
    /// Conflicts that a store's journal keeps, their bytes, and for how long: 90 days.
    static let conflicts = 10_000
    static let conflictByteCount: Int64 = 64 << 20
    static let conflictMicroseconds: Int64 = 90 * 86_400 * 1_000_000
    /// Bytes of conflicts that are read at once, unless one alone has more.
    static let conflictBytesRead = 4 << 20
    /// Records that are looked at to find whose deletion took one along.
    static let conflictReach = 1_000
    /// Records whose registers are held in memory when they were looked up, and of which what is derived is.
    static let pagesLookedUp = 2_048
    static let lookUps = 8_192
    /// Things that are missing which a status tells one by one, and the characters of each.
    static let missingTold = 50
    static let missingTextLength = 200
    /// Bytes of an account's name.
    static let nameByteCount = 255
    /// Bytes of the path of its folder: as many as Linux takes, without the zero behind it.
    static let pathByteCount = 4_095
    /// Bytes of what a store is called in a container, and of a container; of the folder between them.
    static let contentNameByteCount = 100
    static let contentFolderByteCount = 500
    /// Accounts that are known at a time.
    static let accounts = 1_000
    /// Objects of a container that are read at least before what was saved here meanwhile is folded and goes
    /// out: to list the container again costs as much as to read some.
    static let readsAtOnce = 100
    /// Objects that are folded in the transaction that writes the fold, for which saves wait; more are folded
    /// beforehand.
    static let foldedInQueue = 200
    /// Registers that were read, folded or joined, from which on memory that came free is given back, and how
    /// long after the last of them: much at once needs several times what stays.
    static let registersBeforeReturn = 50_000
    static let restBeforeReturn = Duration.seconds(10)
    /// Registers that a record is taken to have if they are not counted: a few attributes' and its life.
    static let registersOfRecord = 8
    /// How long registers are joined in one transaction, for which saves wait.
    static let joining = Duration.milliseconds(20)
    /// Registers that are joined in one transaction, however long that takes, and however short it is; what
    /// belongs to one record stays together.
    static let fewestJoinedRegisters = 250
    static let mostJoinedRegisters = 20_000
}
