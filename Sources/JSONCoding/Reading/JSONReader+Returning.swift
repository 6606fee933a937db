extension JSONReader {
  /// The position of a value that can be read later, or again.
  public struct SavedPosition: Sendable {
    let offset: Int
    let depth: Int
    let frame: Frame
  }

  /// Skips the next value and returns its position, for a decoder that needs a later key first.
  ///
  /// - Returns: The position for `read(_:_:)`, which must be called in the same container or right
  ///   after its end.
  public mutating func skipForLater() throws(JSONError) -> SavedPosition {
    let place = try savedPosition()
    try skip()
    return place
  }

  /// Returns the position of the next value without skipping it, so that the decoder can read it
  /// again in another way.
  public mutating func savedPosition() throws(JSONError) -> SavedPosition {
    SavedPosition(offset: try start(), depth: depth, frame: frames[depth])
  }

  /// Reads the value at a saved position.
  @inlinable
  public mutating func read<Value>(
    _ place: SavedPosition, _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    let present = go(to: place)
    let value = try decode(&self)
    restore(to: present)
    return value
  }

  /// Reads the next value, and continues after it if the decoder rejects it.
  ///
  /// - Throws: An error if the value is not JSON, after which reading cannot continue.
  @inlinable
  public mutating func attempt<Value>(
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Result<Value, JSONError> {
    let present = try startState()
    do throws(JSONError) {
      return .success(try decode(&self))
    } catch {
      restore(to: present)
      try skip()
      return .failure(error)
    }
  }
}

// MARK: - Moving to another position

extension JSONReader {
  /// The state that a move to another position changes.
  @usableFromInline struct State {
    var position: Int
    var expectation: Expectation
    var depth: Int
    var frame: Frame
  }

  var state: State {
    State(position: position, expectation: expectation, depth: depth, frame: frames[depth])
  }

  @usableFromInline
  mutating func startState() throws(JSONError) -> State {
    _ = try startValue()
    return state
  }

  /// Moves to a saved position.
  ///
  /// - Returns: The state to restore afterwards.
  @usableFromInline
  mutating func go(to place: SavedPosition) -> State {
    precondition(
      place.depth >= depth && place.depth <= frames.greatestDepth && place.offset < count,
      "A postponed value is read before what follows its object")
    let present = state
    position = place.offset
    expectation = .value
    depth = place.depth
    frames[depth] = place.frame
    return present
  }

  @usableFromInline
  mutating func restore(to present: State) {
    position = present.position
    expectation = present.expectation
    depth = present.depth
    frames[depth] = present.frame
  }
}
