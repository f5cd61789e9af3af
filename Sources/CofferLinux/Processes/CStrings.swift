/// Lends `strings` as C has them: an array of pointers with a null at its end.
func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var offsets: [Int] = []
    var bytes: [CChar] = []
    for string in strings {
        offsets.append(bytes.count)
        bytes += string.utf8.map { CChar(bitPattern: $0) }
        bytes.append(0)
    }
    return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []
        for offset in offsets { unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + offset }) }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress else { preconditionFailure("the list has its null") }
            return unsafe body(start)
        }
    }
}
