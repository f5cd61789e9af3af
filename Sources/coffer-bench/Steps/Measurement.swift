/// What one system did in one step, repeat by repeat.
struct Measurement {
    let step: Step
    let system: SystemName
    private(set) var values: [Metric: [Double]] = [:]

    init(_ step: Step, _ system: SystemName) {
        self.step = step
        self.system = system
    }

    /// Adds one repeat.
    mutating func add(_ results: [Metric: Double]) {
        for (metric, value) in results { values[metric, default: []].append(value) }
    }

    /// The median over the repeats; `nil` if it was not measured.
    func median(_ metric: Metric) -> Double? {
        guard let sorted = values[metric]?.sorted(), !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// All that was measured in one run.
struct Measurements {
    private(set) var all: [Measurement] = []

    /// Adds one repeat of a step.
    mutating func add(_ results: [Metric: Double], of step: Step, on system: SystemName) {
        let place = all.firstIndex { $0.step == step && $0.system == system }
        if place == nil { all.append(Measurement(step, system)) }
        all[place ?? all.count - 1].add(results)
    }

    /// What a system did; `nil` if it was not measured.
    func median(_ metric: Metric, of step: Step, on system: SystemName) -> Double? {
        all.first { $0.step == step && $0.system == system }?.median(metric)
    }

    /// Each value once: by step, metric and system, in the order of their declaration.
    var lines: [(step: Step, metric: Metric, system: SystemName, value: Double)] {
        Step.allCases.flatMap { step in
            Metric.allCases.flatMap { metric in
                SystemName.allCases.compactMap { system in
                    median(metric, of: step, on: system).map { (step, metric, system, $0) }
                }
            }
        }
    }
}
