internal import CLinux

/// The processors that this process may use.
package enum Processors {
    /// How many there were when first asked, by the affinity of the thread that asked;
    /// `sched_getaffinity(2)`.
    package static let available = Int(coffer_processor_count())
}
