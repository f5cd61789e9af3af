internal import CofferMerge

/// The hashes that are known of the folds that were written under one peer id: a tree, since copies of a
/// store write under one id until one of them notices.
///
/// It is kept as runs of adjacent folds, of which each begins the tree, leaves another run, or comes after a
/// gap. So what it costs follows the number of copies and of gaps, and not the number of folds.
struct ChainTree: Hashable, Sendable {
    /// A fold with its hash.
    struct Anchor: Hashable, Sendable {
        let fold: UInt64
        let hash: ChainHash
    }

    /// Adjacent folds of one chain.
    private struct Run: Hashable, Sendable {
        let first: UInt64
        /// The hash before the first fold.
        let before: ChainHash
        var hashes: [ChainHash]

        var last: UInt64 { first + UInt64(hashes.count - 1) }

        /// The hash after a fold of the run.
        subscript(fold: UInt64) -> ChainHash? {
            first <= fold && fold <= last ? hashes[Int(fold - first)] : nil
        }

        /// The hash before a fold of the run.
        func parent(of fold: UInt64) -> ChainHash? {
            if fold == first { return before }
            return fold > first ? self[fold - 1] : nil
        }
    }

    /// In the order in which they came to be known.
    private var runs: [Run] = []
    /// Whether what is known of adjacent folds does not follow each other, or several are known of one.
    private(set) var isForked = false
    /// How many folds are known.
    private(set) var foldCount = 0
    /// The folds after which several are known, by the fold and the hash before it, each with the smallest
    /// hash.
    private var forks: [Anchor: ChainHash] = [:]
}

extension ChainTree {
    /// Notes the hashes of a log.
    mutating func note(_ segment: ChainSegment) {
        let folds = segment.folds
        // Those that it may go on, and those that may have some of it.
        let near = runs.indices.filter {
            runs[$0].last >= folds.lowerBound - 1 && runs[$0].first <= folds.upperBound
        }
        var (present, parent) = (near, segment.before)
        for (fold, hash) in zip(folds, segment.hashes) {
            defer { parent = hash }
            if present.contains(where: { runs[$0][fold] == hash && runs[$0].parent(of: fold) == parent }) {
                continue
            }
            foldCount += 1
            let end = present.first { runs[$0].last == fold - 1 && runs[$0].hashes.last == parent }
            if let end {
                runs[end].hashes.append(hash)
                continue
            }
            present.append(runs.count)
            runs.append(Run(first: fold, before: parent, hashes: [hash]))
        }
        joinRuns(behind: folds.upperBound)
        isForked = isForked || hasFork(in: folds)
        if isForked { findForks() }
    }

    /// How many runs there are.
    var runCount: Int { runs.count }

    /// Whether a hash of a log is known of the same fold after another hash: a hash is made of the one before
    /// it, so no chain has that.
    func contradictsOrder(of segment: ChainSegment) -> Bool {
        let near = runs.filter { $0.last >= segment.first && $0.first <= segment.folds.upperBound }
        if near.isEmpty { return false }
        var parent = segment.before
        for (fold, hash) in zip(segment.folds, segment.hashes) {
            if near.contains(where: { $0[fold] == hash && $0.parent(of: fold) != parent }) { return true }
            parent = hash
        }
        return false
    }

    /// Makes one run of two that follow each other, as when a gap was filled.
    private mutating func joinRuns(behind last: UInt64) {
        guard last < .max, let end = runs.firstIndex(where: { $0.last == last }),
            let next = runs.firstIndex(where: {
                $0.first == last + 1 && $0.before == runs[end].hashes.last
            })
        else { return }
        runs[end].hashes += runs[next].hashes
        runs.remove(at: next)
    }

    /// Whether several folds of one number are known around some, or folds that do not follow each other.
    private func hasFork(in folds: ClosedRange<UInt64>) -> Bool {
        let near = runs.filter {
            $0.last >= folds.lowerBound - 1
                && ($0.first <= folds.upperBound || $0.first - 1 == folds.upperBound)
        }
        .sorted { $0.first < $1.first }
        return zip(near, near.dropFirst()).contains { one, next in
            next.first <= one.last || next.first - 1 == one.last && next.before != one.hashes.last
        }
    }

    /// The hashes that are known of a fold.
    private func hashes(at fold: UInt64) -> some Sequence<ChainHash> { runs.lazy.compactMap { $0[fold] } }

    /// The hash of a fold that came to be known first.
    func firstHash(at fold: UInt64) -> ChainHash? { hashes(at: fold).first { _ in true } }

    /// Whether a fold is known with this hash.
    func contains(_ anchor: Anchor) -> Bool { hashes(at: anchor.fold).contains(anchor.hash) }

    /// Whether of a fold others are known than with this hash.
    func contradicts(_ anchor: Anchor) -> Bool {
        firstHash(at: anchor.fold) != nil && !contains(anchor)
    }

    /// The last folds that are known of each chain.
    var ends: [Anchor] {
        let begun = Set(runs.map { Anchor(fold: $0.first - 1, hash: $0.before) })
        return runs.compactMap { run in
            guard let hash = run.hashes.last else { return nil }
            let end = Anchor(fold: run.last, hash: hash)
            return begun.contains(end) ? nil : end
        }
    }
}

extension ChainTree {
    /// The way from a fold back to the first one that is known, with the hash before that.
    struct Path {
        /// A part of it that is in one run: the last fold of it.
        fileprivate struct Step {
            let run: Int
            let last: UInt64
        }

        /// The latest first.
        fileprivate var steps: [Step] = []
        fileprivate let end: Anchor
        fileprivate var first: Anchor
    }

    /// The way to a fold.
    func path(to end: Anchor) -> Path {
        var path = Path(end: end, first: end)
        while path.first.fold > 0,
            let run = runs.firstIndex(where: { $0[path.first.fold] == path.first.hash })
        {
            path.steps.append(Path.Step(run: run, last: path.first.fold))
            path.first = Anchor(fold: runs[run].first - 1, hash: runs[run].before)
        }
        return path
    }

    /// The hash of a fold on a path; `nil` if it does not reach there.
    func hash(at fold: UInt64, on path: Path) -> ChainHash? {
        if fold == path.end.fold { return path.end.hash }
        if fold == path.first.fold { return path.first.hash }
        guard fold < path.end.fold,
            let step = path.steps.first(where: { runs[$0.run].first <= fold && fold <= $0.last })
        else { return nil }
        return runs[step.run][fold]
    }

    /// The last fold that two paths have in common; `nil` if they have none.
    func lastCommonFold(of one: Path, _ other: Path) -> UInt64? {
        // From a fold that is known there is one way back, so they part within a run, or after it.
        var lasts: [Int: UInt64] = [:]
        for step in other.steps { lasts[step.run] = step.last }
        for step in one.steps {
            if let last = lasts[step.run] { return min(step.last, last) }
        }
        return one.first == other.first ? one.first.fold : nil
    }

    private mutating func findForks() {
        forks = [:]
        for run in runs {
            let before = Anchor(fold: run.first - 1, hash: run.before)
            var siblings = runs.filter { $0.first == run.first && $0.before == run.before }.map(\.hashes[0])
            siblings += runs.compactMap { $0[before.fold] == before.hash ? $0[run.first] : nil }
            if Set(siblings).count > 1 { forks[before] = siblings.min() }
        }
    }

    /// The names of chains: at each fork the smallest hash goes on with the name, and the others are named by
    /// theirs.
    func names(of paths: [Path], writer: PeerID) -> [PeerID] {
        let forks = forks.sorted { $0.key.fold < $1.key.fold }
        return paths.map { path in
            // If it begins another way than what is known, nothing tells what it left, or after which fold.
            if contradicts(path.first) { return path.first.hash.branch }
            var name = writer
            for (before, smallest) in forks {
                guard before.fold >= path.first.fold, before.fold < path.end.fold,
                    hash(at: before.fold, on: path) == before.hash,
                    let next = hash(at: before.fold + 1, on: path)
                else { continue }
                if smallest < next { name = next.branch }
            }
            return name
        }
    }
}
