import Testing

/// Tests that measure, or that take the whole machine: none runs beside another.
@Suite(.serialized)
enum OneAtATime {}
