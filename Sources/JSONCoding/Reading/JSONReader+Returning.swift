extension JSONReader {
  /// A value that was skipped, to be read later.
  public struct Place: Sendable {
    let offset: Int
    let depth: Int
    let frame: Frame
  }

  /// Skips the next value and remembers it, for a decoder that must know a later key first.
  ///
  /// - Returns: What to give to `read(_:_:)`, in the same container or right after its end.
  public mutating func postpone() throws(JSONError) -> Place {
    let place = try place()
    try skip()
    return place
  }

  /// Remembers the next value, which is taken now, for a decoder that may have to take it once more
  /// in another way.
  public mutating func place() throws(JSONError) -> Place {
    Place(offset: try start(), depth: depth, frame: frames[depth])
  }

  /// Reads a value that was postponed, once its object has told how.
  @inlinable
  public mutating func read<Value>(
    _ place: Place, _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    let present = go(to: place)
    let value = try decode(&self)
    comeBack(to: present)
    return value
  }

  /// Reads the next value, and goes on behind it where the decoder refuses it.
  ///
  /// - Throws: What makes the value no JSON at all; with that there is no going on.
  @inlinable
  public mutating func attempt<Value>(
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Result<Value, JSONError> {
    let present = try startState()
    do throws(JSONError) {
      return .success(try decode(&self))
    } catch {
      comeBack(to: present)
      try skip()
      return .failure(error)
    }
  }
}

// MARK: - Going and coming back

extension JSONReader {
  /// What changes when the reader goes elsewhere.
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

  /// Goes to a postponed value.
  ///
  /// - Returns: Where to come back to.
  @usableFromInline
  mutating func go(to place: Place) -> State {
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
  mutating func comeBack(to present: State) {
    position = present.position
    expectation = present.expectation
    depth = present.depth
    frames[depth] = present.frame
  }
}
