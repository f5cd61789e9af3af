import CofferCoordination
import CofferLinux
import Synchronization
import Testing

@Suite struct SortKeyMakerTests {
    private final class Pieces: Sendable {
        let count = Atomic(0)
        let late = Atomic(0)
        let isOver = Atomic(false)
        let isStarting = Atomic(false)

        func maker() -> SortKeyMaker {
            SortKeyMaker { [self] in
                if isOver.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
                return count.add(1, ordering: .sequentiallyConsistent).newValue % 3 != 0
            }
        }
    }

    @Test func `all pieces are done, each time that it is started`() {
        let pieces = Pieces()
        let maker = pieces.maker()
        for round in 1...20 {
            while pieces.count.load(ordering: .sequentiallyConsistent) < 3 * round { maker.start() }
        }
        maker.close()
        let count = pieces.count.load(ordering: .sequentiallyConsistent)
        #expect(count >= 60)
        maker.start()
        maker.close()
        #expect(pieces.count.load(ordering: .sequentiallyConsistent) == count)
    }

    @Test func `once it is closed no piece is done, whoever starts it meanwhile`() throws {
        for _ in 0..<300 {
            let pieces = Pieces()
            let maker = pieces.maker()
            let starter = try WorkerThread(name: "starter") {
                pieces.isStarting.store(true, ordering: .sequentiallyConsistent)
                maker.start()
            }
            while !pieces.isStarting.load(ordering: .sequentiallyConsistent) {}
            maker.close()
            pieces.isOver.store(true, ordering: .sequentiallyConsistent)
            starter.join()
            maker.close()
            #expect(pieces.late.load(ordering: .relaxed) == 0)
        }
    }
}
