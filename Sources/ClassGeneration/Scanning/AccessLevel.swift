/// Swift's access levels, in ascending order.
enum AccessLevel: String, CaseIterable, Comparable, Sendable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  static func < (left: AccessLevel, right: AccessLevel) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Whether the mangled name contains the file.
  var isFileScoped: Bool { self <= .fileprivate }
}
