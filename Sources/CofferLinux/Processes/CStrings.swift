/// Lends `strings` as C has them: an array of pointers with a null at its end.
func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies = unsafe strings.map { string in
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: string.utf8.count + 1)
        unsafe _ = bytes.initialize(fromContentsOf: string.utf8.map { CChar(bitPattern: $0) } + [0])
        return unsafe bytes
    }
    defer { unsafe copies.forEach { $0.deallocate() } }
    var pointers = unsafe copies.map { $0.baseAddress }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeBufferPointer { list in
        guard let start = unsafe list.baseAddress else { preconditionFailure("the list has its null") }
        return unsafe body(start)
    }
}
