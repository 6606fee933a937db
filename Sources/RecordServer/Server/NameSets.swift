/// Makes sets of the names that a request wants.
///
/// A request says what it wants for all of its items at once; the set that is made of that is
/// shared by all of them, however many names it has. Lists of the items' own are as many as the
/// request has room for.
struct NameSets {
  private let common: [String]?
  private var commonSet: Set<String>?

  /// - Parameter names: What is wanted of items that say nothing; nil for everything.
  init(ofAll names: [String]?) { common = names }

  /// - Parameter own: What an item says itself.
  mutating func set(of own: [String]?) -> Set<String>? {
    if let own { return Set(own) }
    guard let common else { return nil }
    if let commonSet { return commonSet }
    let set = Set(common)
    commonSet = set
    return set
  }
}
