import TestSupport
import Testing

/// Tests that measure, or that take the whole machine: each runs alone, after all others.
@Suite(.serialized, .leftToAll)
enum OneAtATime {}
