/// A call of `addObserver(_:selector:name:object:)` with a `#selector`, as the indices of its
/// tokens.
struct ObserverCall {
  /// The first token of the expression, such as `NotificationCenter`.
  let start: Int
  /// The first token of the observer.
  let observer: Int
  /// The `#selector`.
  let selector: Int
  /// The label `name`.
  let nameLabel: Int
  /// The closing parenthesis.
  let end: Int
  /// Whether the call is a statement whose value is not used.
  let isStatement: Bool

  static func all(in source: ScannedSource) -> [ObserverCall] {
    source.tokens.indices.compactMap { ObserverCall(at: $0, in: source) }
  }

  private init?(at index: Int, in source: ScannedSource) {
    guard source.isWord(index, "addObserver"), source.isPunctuation(index - 1, "."),
      source.isPunctuation(index + 1, "("),
      let end = source.partners[index + 1], !source.needsObjectiveC(index)
    else { return nil }
    let labels = Self.labels(between: index + 1, and: end, in: source)
    guard labels.map(source.spelling) == ["selector", "name", "object"],
      source.isPunctuation(index + 3, ","),
      source.isDirective(labels[0] + 2, "#selector"), source.isPunctuation(labels[0] + 3, "("),
      source.partners[labels[0] + 3] == labels[1] - 2
    else { return nil }
    start = Self.start(of: index, in: source)
    observer = index + 2
    selector = labels[0] + 2
    nameLabel = labels[1]
    self.end = end
    isStatement = Self.isStatement(from: start, through: end, in: source)
  }

  /// The indices of the call's own argument labels.
  private static func labels(between open: Int, and close: Int, in source: ScannedSource) -> [Int] {
    var labels: [Int] = []
    var index = open + 1
    while index < close {
      let follows = source.isPunctuation(index - 1, ",") || index == open + 1
      if follows, source.isName(index), source.isPunctuation(index + 1, ":") {
        labels.append(index)
      }
      if let partner = source.partners[index], partner > index { index = partner }
      index += 1
    }
    return labels
  }

  /// The start of the expression, before `NotificationCenter.default.` and the like.
  private static func start(of index: Int, in source: ScannedSource) -> Int {
    var start = index
    while source.isPunctuation(start - 1, ".") {
      var value = start - 2
      if source.isPunctuation(value, ")"), let open = source.partners[value] { value = open - 1 }
      guard source.isName(value) else { break }
      start = value
    }
    return start
  }

  private static func isStatement(from start: Int, through end: Int, in source: ScannedSource)
    -> Bool
  {
    guard source.isName(start) else { return false }
    let next = end + 1
    let closes =
      next >= source.tokens.count || source.tokens[next].startsLine
      || ["}", ";"].contains(source.spelling(next))
    return Statement.begins(at: start, in: source) && closes && !source.isPunctuation(next, ".")
  }
}
