extension NSManagedObject {
  /// Calls closures about the changes of one object for as long as it is kept.
  ///
  /// Parhelion's addition. It belongs to the queue of the object's context, as the object does.
  public final class ChangeObservation {
    private(set) var willChange: ((_ property: String) -> Void)?
    private(set) var didChange: ((_ property: String) -> Void)?

    init(willChange: ((String) -> Void)?, didChange: ((String) -> Void)?) {
      self.willChange = willChange
      self.didChange = didChange
    }

    /// Stops the calls.
    public func cancel() {
      (willChange, didChange) = (nil, nil)
    }
  }

  /// Calls closures before and after each change of a property of this object.
  ///
  /// Parhelion's addition.
  ///
  /// The changes are those that the program makes, and those that merging, refreshing, undoing and
  /// rolling back bring. The closures get the property's name, on the queue of the object's
  /// context. Use it for observation in the manner of key-value observing, and for
  /// `objectWillChange` of a re-implementation of Combine:
  ///
  /// ```swift
  /// let publisher = ObservableObjectPublisher()
  /// let observation = post.observeChanges(willChange: { _ in publisher.send() })
  /// ```
  ///
  /// To observe objects by `withObservationTracking`, set `tracksObservation` of their context
  /// instead.
  ///
  /// - Returns: The observation. It ends when it is released or cancelled; the object does not keep
  ///   it.
  public final func observeChanges(
    willChange: ((_ property: String) -> Void)? = nil,
    didChange: ((_ property: String) -> Void)? = nil
  ) -> ChangeObservation {
    let observation = ChangeObservation(willChange: willChange, didChange: didChange)
    flags.insert(.observed)
    observedProperties.add(observation)
    return observation
  }
}
