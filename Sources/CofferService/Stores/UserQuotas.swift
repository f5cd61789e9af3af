import CofferLinux
import CofferStores
import Synchronization

/// What each user of the system's service may take of its disk.
///
/// Shared. What a user's files take is added up now and then, by going through them; between two looks the
/// requests that came count, too. So a user may pass the quota by what a few requests make of their bytes,
/// and no further.
final class UserQuotas: Sendable {
    private struct Usage {
        /// Bytes of the files, and of requests since these were looked at.
        var byteCount: Int
        /// When they are looked at again.
        var nextPoll: UInt64
    }

    private let places: StoreFolders
    /// Bytes of one user; `nil` if there is no quota.
    private let limit: Int?
    private let usages = Mutex<[UInt32: Usage]>([:])

    /// Quotas of `limit` bytes; none in the service of one user, who owns the disk.
    init(places: StoreFolders, limit: Int?) {
        self.places = places
        self.limit = places.isSystem ? limit : nil
    }

    /// Lets a user write what comes with a request of so many bytes.
    ///
    /// - Throws: `.overQuota` if the user's files take too much with it.
    func admit(_ byteCount: Int, of userID: UInt32) throws(ServiceError) {
        guard let limit else { return }
        var usage = usages.withLock { $0[userID] } ?? Usage(byteCount: 0, nextPoll: 0)
        // What was too much may be gone by now.
        if Monotonic.now >= usage.nextPoll || usage.byteCount + byteCount > limit {
            usage = try measure(userID)
        }
        let isTooMuch = usage.byteCount + byteCount > limit
        if !isTooMuch { usage.byteCount += byteCount }
        let settled = usage
        usages.withLock { usages in
            if usages.count >= Limits.measuredUsers { usages = [:] }
            usages[userID] = settled
        }
        if isTooMuch { throw .overQuota(limit: limit, byteCount: usage.byteCount) }
    }

    private func measure(_ userID: UInt32) throws(ServiceError) -> Usage {
        let begin = Monotonic.now
        let byteCount: Int
        do throws(LinuxError) {
            byteCount = try places.folder(ofUser: userID)?.allocatedByteCount() ?? 0
        } catch {
            throw .system(error)
        }
        // Many files take long: so that never more than a small part of the time goes by with it.
        let end = Monotonic.now
        return Usage(
            byteCount: byteCount,
            nextPoll: end
                + max(Limits.betweenMeasurings.wholeNanoseconds, Limits.measuringShare * (end - begin)))
    }
}

extension Folder {
    /// What the files in the folder and below it take of the disk.
    fileprivate func allocatedByteCount() throws(LinuxError) -> Int {
        var sum = 0
        var open = [self]
        while let folder = open.popLast() {
            for name in try folder.names() {
                // What goes meanwhile takes nothing.
                guard let facts = try folder.facts(of: name) else { continue }
                sum += facts.allocatedByteCount
                guard facts.kind == .folder else { continue }
                do throws(LinuxError) { open.append(try folder.folder(name)) } catch {
                    if !error.isNotFound { throw error }
                }
            }
        }
        return sum
    }
}
