extension NSManagedObject {
  /// An observation of one object's changes, which lasts while the observation is retained.
  ///
  /// This class is Parhelion's addition.
  ///
  /// Like the object, it belongs to the queue of the object's context.
  public final class ChangeObservation {
    private(set) var willChange: ((_ property: String) -> Void)?
    private(set) var didChange: ((_ property: String) -> Void)?

    init(willChange: ((String) -> Void)?, didChange: ((String) -> Void)?) {
      self.willChange = willChange
      self.didChange = didChange
    }

    /// Ends the observation.
    public func cancel() {
      (willChange, didChange) = (nil, nil)
    }
  }

  /// Calls closures before and after each change of a property of this object.
  ///
  /// This method is Parhelion's addition.
  ///
  /// Changes made by the program count, as do those of merging, refreshing, undo and rollback. The
  /// closures receive the property's name on the queue of the object's context. Use this method in
  /// place of key-value observing, or for the `objectWillChange` publisher of a Combine
  /// implementation:
  ///
  /// ```swift
  /// let publisher = ObservableObjectPublisher()
  /// let observation = post.observeChanges(willChange: { _ in publisher.send() })
  /// ```
  ///
  /// To observe objects with `withObservationTracking`, set `tracksObservation` of their context
  /// instead.
  ///
  /// - Returns: The observation. It ends when it is released or cancelled. The object does not
  ///   retain it.
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
