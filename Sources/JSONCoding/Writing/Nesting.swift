/// What a writer's containers allow next; kept by debug builds only.
struct Nesting {
  private var areArrays: [Bool] = []
  /// Whether a key was written, and its value not yet.
  private var awaitsValue = false
  /// Whether the document's one value was begun.
  private var hasValue = false

  /// Whether a key may stand here; if so, it does.
  mutating func takesKey() -> Bool {
    guard areArrays.last == false, !awaitsValue else { return false }
    awaitsValue = true
    return true
  }

  /// Whether a value may stand here; if so, it does.
  mutating func takesValue() -> Bool {
    defer {
      awaitsValue = false
      hasValue = true
    }
    guard let isArray = areArrays.last else { return !hasValue }
    return isArray || awaitsValue
  }

  mutating func opens(isArray: Bool) -> Bool {
    areArrays.append(isArray)
    return true
  }

  /// Whether the innermost container may be closed as one of this kind; if so, it is.
  mutating func closes(isArray: Bool) -> Bool {
    guard areArrays.last == isArray, !awaitsValue else { return false }
    areArrays.removeLast()
    return true
  }
}
