import CofferStores

/// All bytes of a dump.
func bytes(of dump: StoreDump) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece: [UInt8] = []
    while try dump.write(to: &piece) {
        bytes += piece
        piece.removeAll()
    }
    return bytes + piece
}
