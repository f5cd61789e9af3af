/* Replaced by what Protos/generate makes. */
