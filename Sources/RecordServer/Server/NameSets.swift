/// Creates sets of requested names.
///
/// Names for all items of a request share one set, however many items there are. Items' own lists
/// are bounded by the request's size.
struct NameSets {
  private let common: [String]?
  private var commonSet: Set<String>?

  /// Creates the sets of a request.
  ///
  /// - Parameter names: The names for items without their own list; nil for all names.
  init(ofAll names: [String]?) { common = names }

  /// Returns the names that apply to an item; nil for all names.
  ///
  /// - Parameter own: An item's own list.
  mutating func set(of own: [String]?) -> Set<String>? {
    if let own { return Set(own) }
    guard let common else { return nil }
    if let commonSet { return commonSet }
    let set = Set(common)
    commonSet = set
    return set
  }
}
