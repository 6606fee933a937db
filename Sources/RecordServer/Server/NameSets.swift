/// Makes sets of the names that a request wants.
///
/// A request says what it wants for all of its items at once; the set that is made of that is shared by all of them, however many names it has.
struct NameSets {
  private var last: (names: [String], set: Set<String>)?

  mutating func set(of names: [String]?) -> Set<String>? {
    guard let names else { return nil }
    // Arrays that share their memory are equal without a look at what is in it.
    if let last, last.names == names { return last.set }
    let set = Set(names)
    last = (names, set)
    return set
  }
}
