internal import Synchronization

/// The place where one end of a stream puts bytes down for the other end while that looks here: a word, and
/// behind it the bytes.
///
/// The other process may write anything at any time: what is taken is copied once, and nothing of it is
/// believed.
// Valid for as long as the `SharedFrameMemory` that it is part of, which every user holds.
@safe struct SharedFrameSlot: Sendable {
    /// Where the bytes begin: the reader of the word must not share its cache line with the writer of the
    /// bytes.
    private static let start = 64
    /// How many bytes are passed at once at most.
    let capacity: Int

    /// What a receiver found when it looked away.
    struct Found: Equatable {
        /// Bytes to be taken.
        var byteCount: Int
        /// Whether something went through the socket.
        var isMarked: Bool
    }

    // Memory of two processes: the word is touched by atomic operations alone, the bytes by the owner that
    // the word names.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// The place of `byteCount` bytes, its word included, that begin at `base`.
    init(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe self.base = unsafe base
        capacity = byteCount - Self.start
    }

    private var word: UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe base.assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}

// MARK: The sender's side

extension SharedFrameSlot {
    /// Puts `first` and then `second` down; `false` if the receiver does not look here, has not yet taken all
    /// that was `sent` through the socket, or there is no room.
    func put(_ first: [UInt8], _ second: [UInt8], sent: UInt64) -> Bool {
        let byteCount = first.count + second.count
        // What the receiver took of the last bytes it has read: they may be written over.
        let found = unsafe word.pointee.load(ordering: .acquiring)
        guard byteCount > 0, byteCount <= capacity,
            let next = SharedFrameWord(rawValue: found)?.put(byteCount: byteCount, sent: sent)
        else { return false }
        copy(first, to: Self.start)
        copy(second, to: Self.start + first.count)
        return unsafe word.pointee.compareExchange(
            expected: found, desired: next.rawValue, successOrdering: .acquiringAndReleasing,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Says that something went through the socket.
    func mark() {
        unsafe word.pointee.bitwiseOr(SharedFrameWord.mark, ordering: .releasing)
    }

    private func copy(_ bytes: [UInt8], to offset: Int) {
        unsafe bytes.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress {
                unsafe (base + offset).copyMemory(from: source, byteCount: bytes.count)
            }
        }
    }
}

// MARK: The receiver's side

extension SharedFrameSlot {
    /// Begins to look, `received` bytes of the socket having been taken; says whether something went through
    /// the socket since the last time.
    func open(received: UInt64) -> Bool {
        let old = unsafe word.pointee.exchange(
            SharedFrameWord(.open(received: received)).rawValue, ordering: .acquiringAndReleasing)
        return old & SharedFrameWord.mark != 0
    }

    /// Whether nothing has happened since `open`.
    func isUntouched(received: UInt64) -> Bool {
        unsafe word.pointee.load(ordering: .acquiring) == SharedFrameWord(.open(received: received)).rawValue
    }

    /// Stops polling: what is found must be taken before anything else is received.
    ///
    /// - Throws: `.wrongSize` if the other end says that it put down more than has room.
    func close() throws(LinuxError) -> Found {
        let old = unsafe word.pointee.exchange(
            SharedFrameWord(.closed).rawValue, ordering: .acquiringAndReleasing)
        guard let word = SharedFrameWord(rawValue: old), case .full(let byteCount) = word.state else {
            return Found(byteCount: 0, isMarked: old & SharedFrameWord.mark != 0)
        }
        guard byteCount <= capacity else {
            throw .wrongSize(expected: capacity, actual: byteCount)
        }
        return Found(byteCount: byteCount, isMarked: word.isMarked)
    }

    /// Copies the first bytes into `room`, as many as that has.
    func copy(into room: UnsafeMutableRawBufferPointer) {
        guard let target = room.baseAddress else { return }
        unsafe target.copyMemory(from: base + Self.start, byteCount: min(room.count, capacity))
    }
}
