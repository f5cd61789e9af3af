import CofferLinux
import CofferWire
import Synchronization

/// Frames that wait on the disk.
extension OutboundQueue {
    /// Takes a frame of a streamed answer: in memory, or on the disk of `folder` if much waits already.
    ///
    /// A frame with descriptors is taken as it is, unless too many wait already.
    /// - Throws: `.bufferFull` if the client leaves too much unread, and what the disk says.
    func append(streamed item: Item, in folder: Folder) throws(LinuxError) {
        guard let place = try placeOnDisk(for: item) else { return }
        do throws(LinuxError) {
            let file: SpillFile
            if let known = place.file { file = known } else { file = try adopt(SpillFile(in: folder)) }
            try file.write(item, at: place.offset)
            replace(Item(spilled: Spilled(file: file, offset: place.offset, byteCount: item.byteCount)))
        } catch {
            replace(nil)
            throw error
        }
    }

    /// Ends what `placeOnDisk` began: appends what stands for a frame that is there.
    private func replace(_ placeholder: Item?) {
        state.withLock { state in
            state.beingSpilled -= 1
            if let placeholder, !state.isClosed { state.append(placeholder) }
        }
    }

    /// Where a frame goes on the disk; `nil` if it was taken into memory, or if the queue is closed.
    private func placeOnDisk(for item: Item) throws(LinuxError) -> (file: SpillFile?, offset: Int)? {
        try state.withLock { state throws(LinuxError) in
            if state.isClosed { return nil }
            let isDiskEmpty = state.size.spilled == 0 && state.beingSpilled == 0
            let isFree = isDiskEmpty && state.size.bytes <= Limits.spillAfter
            if !item.descriptors.isEmpty, state.size.descriptors >= Limits.outboundDescriptors {
                // Larger than a frame, and the client leaves as much unread.
                throw .bufferFull(limit: Limits.outboundMemory)
            }
            if isFree || !item.descriptors.isEmpty {
                state.append(item)
                return nil
            }
            guard !budget.refuses(spilled: item.byteCount) else {
                throw .bufferFull(limit: Limits.spilledBytes)
            }
            defer {
                state.spillEnd += item.byteCount
                state.beingSpilled += 1
            }
            return (state.spill, state.spillEnd)
        }
    }

    /// The file to use: `made`, or the one that another thread was faster with.
    private func adopt(_ made: SpillFile) -> SpillFile {
        state.withLock { state in
            if let known = state.spill { return known }
            if !state.isClosed { state.spill = made }
            return made
        }
    }
}
