internal import CofferLinux

/// Seeds one after the other, on all processors.
package struct SeedRun: Sendable {
    private let seeds: Range<UInt64>
    private let workers: Int

    /// A run of these seeds, by as many workers as there are processors if nothing else is said.
    package init(_ seeds: Range<UInt64>, workers: Int = Processors.available) {
        self.seeds = seeds
        self.workers = max(workers, 1)
    }

    /// Looks for what goes wrong with each seed.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong with a seed; `nil`: nothing does.
    ///   - report: Told of each seed that something goes wrong with, as it is found.
    package func run<Fault: Sendable>(
        _ fault: @escaping @Sendable (UInt64) -> Fault?, report: (UInt64, Fault) -> Void
    ) async {
        await withTaskGroup(of: (seed: UInt64, fault: Fault?).self) { group in
            var waiting = seeds.makeIterator()
            func begin() {
                guard let seed = waiting.next() else { return }
                group.addTask { (seed, fault(seed)) }
            }
            for _ in 0..<workers { begin() }
            while let (seed, fault) = await group.next() {
                begin()
                if let fault { report(seed, fault) }
            }
        }
    }
}
