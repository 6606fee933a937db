/// Validates the calls of a writer, in debug builds only.
struct Nesting {
  private var areArrays: [Bool] = []
  /// Whether a key was written without its value.
  private var awaitsValue = false
  /// Whether the document's value has begun.
  private var hasValue = false

  /// Records a key.
  ///
  /// Returns false if it is not allowed here.
  mutating func takesKey() -> Bool {
    guard areArrays.last == false, !awaitsValue else { return false }
    awaitsValue = true
    return true
  }

  /// Records a value.
  ///
  /// Returns false if it is not allowed here.
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

  /// Closes the innermost container.
  ///
  /// Returns false if it is of the other kind.
  mutating func closes(isArray: Bool) -> Bool {
    guard areArrays.last == isArray, !awaitsValue else { return false }
    areArrays.removeLast()
    return true
  }
}
