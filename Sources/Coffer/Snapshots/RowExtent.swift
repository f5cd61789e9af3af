/// How much of rows is read.
enum RowExtent {
    /// Everything that has a column.
    case whole
    /// All but the attributes that allow external storage, whose values are read when asked for.
    case withoutExternal
    /// What a request names, or a save changed.
    case part
}
