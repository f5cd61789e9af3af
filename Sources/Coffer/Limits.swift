/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Objects that a migration reads, makes and saves at once; each is a few hundred bytes, and may have
    /// values that are much larger.
    static let migrationPiece = 500
    /// Objects that break the model's rules, of which a migration tells; one or two tell what is wrong with
    /// the mapping.
    static let migrationFailures = 100
    /// Objects whose values an asynchronous fetch with progress reads at once.
    static let rowsPerProgress = 1_000
    /// How often a call is sent again after the service was lost: a request that kills the service must not
    /// do so for ever.
    static let resends = 5
    /// How long calls wait for a lost service to come back, unless the owner of the connection says
    /// otherwise.
    static let reconnection = Duration.seconds(30)
    /// How long a service may take until it has started and opened a channel: it may have to repair a store
    /// first.
    static let activation = Duration.seconds(60)
    /// How long a call that met an exchange of its store's file waits until this process has taken in what
    /// the service told before of it; mostly a moment.
    static let exchangeNews = Duration.seconds(10)
    /// How long a save waits until another thread has told the process of it; mostly a moment.
    static let saveNews = Duration.seconds(1)
    /// Exchanges of a store's file that one fetch follows: more come at once only if something goes round.
    static let exchangesOfFetch = 10
    /// The first pause between two attempts to reach a lost service; each is twice as long as the one before.
    static let firstPause = Duration.milliseconds(5)
    /// The longest pause between two attempts to reach a lost service.
    static let longestPause = Duration.seconds(1)
    /// How long a caller spins for its reply if the processor has nothing else to do: as long as a durable
    /// save takes if both ends slept before it.
    ///
    /// Else they would never see how short it is if neither does.
    static let spin = Duration.microseconds(1_000)
    /// How soon after a call the next one has to come to belong to its burst.
    static let pauseWithinBurst = Duration.microseconds(200)
    /// How long a burst is expected to go on, and so how long a push may wait after it to be heard: several
    /// saves among others.
    static let expectation = Duration.milliseconds(4)
    /// Pushes and own saves that wait for slow observers; past it they are dropped, and fetched from history
    /// later.
    static let queuedFeedItems = 4_096
    /// Pushes and questions kept of stores whose opening is not finished.
    static let strayEvents = 256
    /// Runs of own saves remembered between two pushes of a store.
    static let ownRuns = 64
    /// Keys of rows to release that are worth a message of their own beside the next call.
    static let releasesPerCall = 512
    /// Keys of rows that wait to be released with the next call, adjacent ones a bit each; past it they are
    /// sent at once.
    static let queuedReleases = 32_768
    /// Keys of rows that wait until no asynchronous answer is on its way; past it the next answer is asked
    /// for only then.
    static let waitingReleases = 4_096
    /// Requests above this many bytes travel as sealed memory: from there on, to map it costs less than to
    /// copy it through a socket.
    static let inlineRequest = 256 << 10
    /// Bytes of a file that are copied at once.
    static let copiedPiece = 1 << 20
    /// Frames that one system call sends, each in two parts.
    static let framesPerSend = 12
    /// Bytes that are read along with a large value, of rows that are probably asked for next.
    static let largeValueBytes = 4 << 20
    /// Faults that are read in one round trip: more costs the first reader time, fewer the others round
    /// trips.
    static let faultBatch = 200
    /// Faults that are read in one round trip for a child context, which has asked for all of them.
    static let rowsForChild = 2_000
    /// Objects whose to-many relationships are read in one round trip by a loop over them.
    static let ownersAhead = 200
    /// Members that one such round trip may bring before it asks for a single object again: they are 12 bytes
    /// each.
    static let membersAhead = 50_000
    /// Objects that one round trip of a prefetch follows a relationship from: their members may be many times
    /// as many.
    static let prefetchedOwners = 10_000
    /// How often an asynchronous fetch asks again since others changed meanwhile what it asked for; then it
    /// blocks.
    static let outdatedAnswers = 3
    /// Rows that were read along and were not asked for yet: ten round trips' worth.
    static let readAhead = 2_000
    /// Events that wait for a context; past it the context reads again what it has, which costs about as
    /// much.
    static let waitingEvents = 1_000
    /// Exchanges of stores that wait for a reader: accounts change seldom.
    static let waitingTransitions = 100
    /// Notifications that wait for one reader of a stream; the oldest are dropped past it.
    static let waitingNotifications = 1_000
    /// How often what watchers of a context change is told in one go: a watcher that always changes something
    /// must not do so for ever.
    static let watcherRounds = 8
    /// Rows of fetched results that are judged one by one; past it a fetch, which judges in the store, costs
    /// less.
    static let judgedRows = 2_000
    /// Parts of changes of fetched results that wait for one reader; past it the stream ends.
    static let waitingResultEvents = 100_000
    /// How long a context waits until its parent's actor comes to what it asks: that may be in the middle of
    /// a long save.
    static let parentAnswer = Duration.seconds(120)
    /// How often objects may change further objects in `willSave`: more is a circle.
    static let willSaveRounds = 100
    /// Bytes of rows in one request of a batch insert: with its keys it fits into a frame.
    static let batchBytes = 48 << 20
    /// Temporary ids of objects that became others, by which those are found; past it they are forgotten.
    static let mergedNames = 10_000
    /// How often a save is sent whose conflicts the application resolves: others may save meanwhile, but not
    /// for ever.
    static let resolutionRounds = 5
    /// Items that the description of an error lists.
    static let describedItems = 10
    /// Keys of one release message.
    static let releaseBatch = 4_096
}
