import CofferStores

/// Bounds on what a caller can make this module hold or do, with reasons.
///
/// A client is a process here, with all its connections and channels, or an application in a sandbox with all
/// its processes.
package enum Limits {
    /// Nanoseconds between two looks whether a call that runs was taken back: one look takes about a
    /// microsecond.
    static let pollInterval: UInt64 = 1_000_000
    /// Pieces of work that may wait until the calls that have come are answered.
    static let postponedWork = 16
    /// Bytes that may wait behind a running call before reading for its end stops.
    static let lookAhead = 1 << 20
    /// Conflicts of a shared store that one reply tells: each has a few values.
    static let conflictsTold = 500
    /// Open stores from which on none is opened only to be shared while no client runs: each takes room that
    /// clients need.
    static let residentStores = 32
    /// How long what was put aside of a shared store is kept, in seconds.
    static let formerContent = 30.0 * 86_400
    /// How often it is looked what of that is to be deleted.
    static let formerPause = Duration.seconds(86_400)
    /// How long a call to bring back what was put aside waits for the store's work on its container.
    static let restoring = Duration.seconds(120)
    /// How long a sign-out, or a question what is owed, waits for containers.
    static let settlingUp = Duration.seconds(2)
    /// How long a call to bring in what other machines wrote waits for their containers.
    static let importTime = Duration.seconds(240)
    /// Kinds of damage that are logged, each once: a damaged file can have as many as pages.
    static let loggedDamage = 1_000
    /// How soon after the start of a service clients of the one before are back, which open their stores at
    /// once.
    static let returnOfClients = Duration.seconds(10)
    /// How soon after the first of a store's clients its others are back.
    static let returnOfOthers = Duration.seconds(2)
    /// How soon stores that had to make room are shared again.
    static let residencyPause = Duration.seconds(300)
    /// Objects of a container that are told one by one: ten machines leave some 400, and large values more.
    static let objectsTold = 10_000
    /// Calls of one client that wait for their answers, on all its channels: saves in the commit queue,
    /// mostly.
    static let callsPerClient = 1_024
    /// Calls of the service that a client may leave unanswered: past it, it is asked nothing more.
    static let unansweredCalls = 64
    /// How long clients may take to save before a store is exchanged, unless the caller says otherwise.
    static let storesWillChange = Duration.seconds(10)
    /// How long they may take at most.
    static let longestStoresWillChange = Duration.seconds(60)
    /// How long a client's policies may take over some hundred objects, unless the client says otherwise.
    static let policyAnswer = Duration.seconds(60)
    /// How long they may take at most, since no client can open the store meanwhile.
    static let longestPolicyAnswer = Duration.seconds(3_600)
    /// How often it is looked whether a migration is still wanted, while policies of its client are at work.
    static let policyPoll = Duration.milliseconds(200)
    /// How long a store is waited for that this process closes and opens again: as long as calls that were
    /// begun before an exchange, since a busy machine may hold up the thread that lets it go; and one that
    /// another process has, which may be a service that is just ending.
    static let lockPatience = LockPatience(own: .seconds(30), others: .seconds(2))
    /// How long a store is waited for whose calls were begun before its exchange.
    static let lettingGo = Duration.seconds(30)
    /// Objects of a store that an application comes with which are joined in one transaction: saves wait for
    /// that.
    static let seededAtOnce = 500
    /// Descriptors, of which a process has few, that may wait behind a running call before reading stops.
    static let lookAheadDescriptors = 16
    /// How long the service takes to end at most, from a signal on: shorter than a service manager waits
    /// before it kills.
    package static let ending = Duration.seconds(20)
    /// Of that, how long reads go on whose callers may still wait.
    package static let endingReads = Duration.seconds(5)
    /// What the process exits with if that was not enough: EX_TEMPFAIL of sysexits(3).
    package static let overdueExit: Int32 = 75
    /// How long the bus may take to hand over the last calls to a service that ends.
    static let lastCalls = Duration.seconds(5)
    /// Channels of one connection to the bus: a process needs one, a test or a browser with many profiles
    /// some.
    static let channelsPerCaller = 64
    /// Channels of one client or, on the system bus, of one user, which may have many connections.
    static let channelsPerGroup = 256
    /// Channels of all callers: each takes up to two descriptors.
    static let channels = 1_024
    /// Stores that one session has open.
    static let storesPerSession = 64
    /// Stores that all sessions of one client have open, each counted for each session: so that no one has
    /// all that there may be.
    static let storesPerClient = 128
    /// Bytes of pushes that wait for a client that does not read, on all its channels, as all that follows;
    /// past it the client fetches history instead.
    static let pushBytes = 512 << 10
    /// Bytes of everything that waits for a client that does not read; past it, its calls are not read
    /// either.
    static let outboundBytes = 8 << 20
    /// Bytes of sealed memory that wait for a client that does not read, as for the above.
    static let outboundMemory = 128 << 20
    /// Bytes of frames that wait for a client before those of streamed answers go to the disk.
    static let spillAfter = 4 << 20
    /// Bytes of frames that wait for a client on the disk, on all its channels: an answer of ten million
    /// small rows.
    static let spilledBytes = 1 << 30
    /// Bytes that wait on the disk for all clients together, whatever they call themselves.
    static let spilledByAll = 4 << 30
    /// Bytes of a spilled frame that are in memory at a time.
    static let spillPiece = 256 << 10
    /// Bytes of requests that wait for answers, and of frames that have come in part, of one client: two of
    /// the largest.
    static let requestMemory = 512 << 20
    /// Receptions that a frame may take before its worker looks after others; a socket gives about 200 KiB at
    /// once.
    static let piecesPerTurn = 64
    /// Frames of up to so many bytes count nothing while they come.
    static let uncountedFrame = 1 << 20
    /// Requests in frames of up to so many bytes count nothing while they wait for answers: all that a client
    /// may have are 16 MiB.
    static let uncountedRequest = 16 << 10
    /// Replies above this many bytes travel as sealed memory over a channel.
    static let inlineReply = 256 << 10
    /// Replies above this many bytes travel as sealed memory over the bus, and of pushes only is told since
    /// when there is history.
    static let inlineBusReply = 1 << 20
    /// Large replies of one connection to the bus that may lie there unread: the system's bus stops at 64
    /// descriptors of all together.
    static let unreadBusReplies = 4
    /// Replies above this many bytes are large ones there.
    static let largeBusReply = 64 << 10
    /// Large replies that wait in the service for a connection to the bus to read those before.
    static let heldBusReplies = 256
    /// How long a caller over the bus may take to show that it reads.
    static let busPing = Duration.seconds(600)
    /// Frames that wait for a client that does not read.
    static let outboundFrames = 16_384
    /// Replies in sealed memory that wait for a client that does not read: each is a descriptor of the
    /// service.
    static let outboundDescriptors = 16
    /// Workers that stay idle while a client, or a user of several, is given another beside those that it
    /// has.
    static let workersForOthers = 1
    /// Workers that stay idle while a connection of one user among several is given another, so that the
    /// user's other connections get one too.
    static let workersForOtherClients = 2
    /// Workers that are at the first calls of connections of one client: a quarter of those that there may be
    /// at least, and more than most need.
    static let workersOfClient = 8
    /// Workers that are started besides the first, of which there are four or more, when long calls hold
    /// all: as many clients may wait for long at once.
    static let moreWorkers = 28
    /// How long all workers may be at the same calls before another is started: longer than nearly all calls
    /// take.
    static let workerPatience = Duration.milliseconds(10)
    /// Bytes of calls of one connection to the bus that wait for a worker, beside a single larger one.
    static let queuedBytes = 64 << 20
    /// Bytes of calls that wait for a worker, of all connections of one client or, if there are several
    /// users, of one user.
    static let queuedBytesOfGroup = 256 << 20
    /// What a descriptor counts among them, of which a process has few: a connection has a thousand at most,
    /// and a group four thousand.
    static let queuedDescriptor = 64 << 10
    /// Saves one after the other, with nothing between, after which a client's next call is taken for
    /// another.
    static let savesInARow = 4
    /// How often the leader of commits looks in vain at a channel that it keeps: some three commits long.
    static let emptyPolls = 12
    /// How long the leader of commits waits for the next save of those whose channels it keeps: some of them
    /// were answered just now.
    static let spinForNextSave = Duration.microseconds(200)
    /// Bytes of a save that the leader of commits reads itself: a larger one would keep those waiting that
    /// are in the commit.
    static let polledRequest = 16 << 10
    /// How long a commit may take for channels to be kept, in nanoseconds: so long a fetch may have to wait
    /// there.
    static let polledWait: UInt64 = 2_000_000
    /// After how long without a look channels are kept no longer: longer than such commits take, and what
    /// comes there waits twice as long at most.
    static let polledPatience = Duration.milliseconds(10)
    /// How long a worker stays with one channel while others may wait, in nanoseconds.
    static let turn: UInt64 = 5_000_000
    /// Bytes that follow the header of the largest frame.
    static let frame = 64 << 20
    /// Transactions that are not announced to a client before a bookmark tells it so.
    static let transactionsPerBookmark: UInt64 = 64
    /// Bytes of values that one push carries.
    static let pushValues = 64 << 10
    /// Models of one user that the service knows at once.
    static let modelsOfUser = 64
    /// Their bytes as messages, of which each takes twice as much again in memory: applications have some 10
    /// KB, and a message at most 16 MiB.
    static let modelBytesOfUser = 32 << 20
    /// Models of all users.
    static let models = 1_024
    /// Their bytes as messages.
    static let modelBytes = 128 << 20
    /// Models that one client registered last, which are there whatever others register: it names the last of
    /// them next.
    static let modelsOfClient = 4
    /// Their bytes as messages, the last one not counted.
    static let modelBytesOfClient = 1 << 20
    /// Between two reports of how far a copy is: what a person can read.
    static let progressInterval = Duration.milliseconds(100)
    /// How long a store stays open that no session uses.
    static let unusedStore = Duration.seconds(180)
    /// Of the descriptors that the process may have, the part from which on unused stores are closed when
    /// another is opened: one in so many.
    static let shareOfDescriptors = 2
    /// Stores of one user whose connections, some ten for each, may have larger caches than usual.
    static let ownCacheSizes = 8
    /// Stores that the service has open at once.
    static let stores = 256
    /// Of them, those of one user of the system's service.
    static let storesPerUser = 64
    /// How long what a user's files take is taken to be what it was, but for the requests that came since.
    static let betweenMeasurings = Duration.seconds(2)
    /// How many times as long as it takes to add it up, at least.
    static let measuringShare: UInt64 = 50
    /// Users whose measured usage is remembered.
    static let measuredUsers = 1_024
    /// Bytes of a file with settings: many times what a person writes there.
    static let settings = 64 << 10
    /// Bytes of the name of an application, configuration or store.
    static let name = 200
    /// Bytes of an author, context or process name.
    static let text = 1_024
    /// Callers over the bus that are watched by a match rule each, of 512 that the system's bus allows.
    static let watchedCallers = 384
    /// Stack of a worker in bytes: predicates nest to a bounded depth.
    static let workerStack = 1 << 20
    /// Followers of what the service does at the same time: each takes a pipe, and every call tells each.
    static let traces = 4
    /// Of them, those of one client, so that another can follow, too.
    static let tracesOfClient = 2
}
