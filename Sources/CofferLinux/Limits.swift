/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {}
