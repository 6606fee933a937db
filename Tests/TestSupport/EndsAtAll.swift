package import Testing

extension Trait where Self == TimeLimitTrait {
  /// For what would hang where it is broken.
  ///
  /// It is less than what the check gives all tests, so that the one that hangs is named. Only a
  /// hang waits to the end: tests of one process wait for each other, and a limit that was near
  /// would count that as well.
  package static var endsAtAll: Self { .timeLimit(.minutes(12)) }
}
