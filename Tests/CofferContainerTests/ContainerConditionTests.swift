import CofferContainer
import CofferMerge
import TestSupport
import Testing

@Suite struct `A container's condition` {
    private static let key = KeyID(number: 3)
    private static let conditions: [ContainerCondition] = [
        .new, .there(.open), .there(.readOnly), .there(.full), .doubtful, .away, .emptied, .replaced,
        .locked(key), .newer(version: 2),
    ]
    private static let events: [ContainerEvent] = [
        .nothing, .ours(.open), .ours(.readOnly), .others, .gone, .unreachable, .refused(.full),
        .refused(.readOnly), .accepted, .sealed(key), .later(version: 3), .minutePassed, .removed,
    ]

    /// The whole table: for each condition what follows each event, in the order above; `nil` if it means
    /// nothing.
    private static let table: [[ContainerCondition?]] = [
        // new
        [
            .new, .there(.open), .there(.readOnly), .there(.open), nil, .away, .new, .new, .there(.open),
            .locked(key), .newer(version: 3), nil, nil,
        ],
        // there, open
        [
            nil, .there(.open), .there(.readOnly), .replaced, .doubtful, .away, .there(.full),
            .there(.readOnly), .there(.open), .locked(key), .newer(version: 3), nil, .emptied,
        ],
        // there, to read only
        [
            nil, .there(.open), .there(.readOnly), .replaced, .doubtful, .away, .there(.full),
            .there(.readOnly), .there(.open), .locked(key), .newer(version: 3), nil, .emptied,
        ],
        // there, full
        [
            nil, .there(.full), .there(.readOnly), .replaced, .doubtful, .away, .there(.full),
            .there(.readOnly), .there(.open), .locked(key), .newer(version: 3), nil, .emptied,
        ],
        // doubtful
        [
            nil, .there(.open), .there(.readOnly), .replaced, .doubtful, .away, nil, nil, nil, .locked(key),
            .newer(version: 3), .emptied, .emptied,
        ],
        // away
        [
            .new, .there(.open), .there(.readOnly), .replaced, .doubtful, .away, nil, nil, nil, .locked(key),
            .newer(version: 3), nil, .emptied,
        ],
        // emptied
        [
            nil, .there(.open), .there(.readOnly), .replaced, .emptied, .emptied, nil, nil, nil,
            .locked(key), .newer(version: 3), nil, .emptied,
        ],
        // replaced
        [
            nil, .there(.open), .there(.readOnly), .replaced, .doubtful, .replaced, nil, nil, nil,
            .locked(key), .newer(version: 3), nil, .emptied,
        ],
        // locked
        [
            nil, .there(.open), .there(.readOnly), .replaced, .doubtful, .locked(key), nil, nil, nil,
            .locked(key), .newer(version: 3), nil, .emptied,
        ],
        // newer
        [
            nil, .there(.open), .there(.readOnly), .replaced, .doubtful, .newer(version: 2), nil, nil, nil,
            .locked(key), .newer(version: 3), nil, .emptied,
        ],
    ]

    @Test func `changes as the table says, for every pair`() {
        for (condition, row) in zip(Self.conditions, Self.table) {
            #expect(row.count == Self.events.count)
            for (event, next) in zip(Self.events, row) {
                #expect(condition.transition(on: event)?.next == next, "\(condition) on \(event)")
            }
        }
        #expect(Self.table.count == Self.conditions.count)
    }

    @Test func `allows nothing to be put but where its marker is`() {
        for condition in Self.conditions {
            for event in Self.events {
                guard let (next, actions) = condition.transition(on: event) else { continue }
                if actions.contains(.exchange) { #expect(next.isExchanged) }
                if actions.contains(.putMarkers) { #expect(event == .nothing) }
                if case .emptied = next { #expect(!actions.contains(.putMarkers)) }
            }
        }
    }

    private func sighting(
        markers: Set<ContainerID>?, root: Set<ContainerID>, isWritable: Bool = true
    ) -> ContainerSighting {
        ContainerSighting(
            fileSystem: 1, rootMarkers: root,
            folder: markers.map { ContainerSighting.Folder(markers: $0, isWritable: isWritable) })
    }

    @Test func `is told from what is to be seen`() {
        let (mine, root, other) = (ContainerID.random(), ContainerID.random(), ContainerID.random())
        var memory = ContainerMemory()
        #expect(memory.event(for: sighting(markers: nil, root: [])) == .nothing)
        #expect(memory.event(for: sighting(markers: [other], root: [root])) == .others)
        memory.note(marker: mine, rootMarker: root)
        #expect(memory.event(for: sighting(markers: [mine], root: [root])) == .ours(.open))
        let readOnly = sighting(markers: [mine], root: [root], isWritable: false)
        #expect(memory.event(for: readOnly) == .ours(.readOnly))
        #expect(memory.event(for: sighting(markers: [], root: [root])) == .gone)
        #expect(memory.event(for: sighting(markers: nil, root: [root])) == .gone)
        // The bare place where a disk was: nothing is concluded.
        #expect(memory.event(for: sighting(markers: nil, root: [])) == .unreachable)
        #expect(memory.event(for: sighting(markers: [other], root: [root])) == .others)
        // Another account's disk in the place of this one's.
        #expect(memory.event(for: sighting(markers: [other], root: [other])) == .unreachable)
        // Two devices began at once: from then on either marker is ours.
        memory.note(sighting(markers: [mine, other], root: [root]))
        #expect(memory.event(for: sighting(markers: [other], root: [root])) == .ours(.open))
    }

    @Test func `is as new as its markers that count, which a key comes after`() {
        let (mine, root, other) = (ContainerID.random(), ContainerID.random(), ContainerID.random())
        func event(_ memory: ContainerMemory, removed: Set<ContainerID> = []) -> ContainerEvent {
            memory.event(
                for: ContainerSighting(
                    fileSystem: 1, rootMarkers: [root],
                    folder: .init(
                        markers: [mine, other], removedMarkers: removed,
                        unreadableMarkers: [mine: .locked(Self.key), other: .newer(version: 2)],
                        isWritable: true)))
        }
        #expect(event(ContainerMemory()) == .later(version: 2))
        #expect(event(ContainerMemory(), removed: [other]) == .sealed(Self.key))
        let known = ContainerMemory(markers: [mine], rootMarkers: [root])
        #expect(event(known) == .later(version: 2))
        #expect(event(known, removed: [other]) == .sealed(Self.key))
        #expect(event(known, removed: [mine]) == .removed)
        // What has not come whole yet says nothing of its format.
        let short = ContainerSighting(
            fileSystem: 1, rootMarkers: [root],
            folder: .init(
                markers: [mine], unreadableMarkers: [mine: .short(byteCount: 3)], isWritable: true))
        #expect(known.event(for: short) == .ours(.open))
    }

    @Test func `is looked for in its account's root alone`() {
        let (root, other) = (ContainerID.random(), ContainerID.random())
        var memory = ContainerMemory()
        memory.root = root
        #expect(memory.event(for: sighting(markers: nil, root: [])) == .unreachable)
        #expect(memory.event(for: sighting(markers: [other], root: [other])) == .unreachable)
        #expect(memory.event(for: sighting(markers: nil, root: [other, root])) == .nothing)
        #expect(memory.event(for: sighting(markers: [other], root: [root])) == .others)
    }

    @Test func `a marker of removed content stands for nothing, and ours says that it is gone`() {
        let (mine, root, other) = (ContainerID.random(), ContainerID.random(), ContainerID.random())
        func sighting(_ markers: Set<ContainerID>, removed: Set<ContainerID>) -> ContainerSighting {
            ContainerSighting(
                fileSystem: 1, rootMarkers: [root],
                folder: .init(markers: markers, removedMarkers: removed, isWritable: true))
        }
        var memory = ContainerMemory()
        #expect(memory.event(for: sighting([mine], removed: [mine])) == .nothing)
        memory.note(sighting([mine, other], removed: [other]), adopting: true)
        #expect(memory.markers == [mine])
        for markers: Set<ContainerID> in [[mine], [mine, other]] {
            let sighting = sighting(markers, removed: [mine])
            #expect(memory.event(for: sighting) == .removed)
            memory.note(sighting)
            #expect(memory.markers == [mine])
        }
    }
}
