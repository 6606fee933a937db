/// A context that can perform the fetch of an expression.
package protocol FetchPerforming {
  /// The results of a fetch request; nil if the value is no fetch request.
  func results(ofFetch request: Any) throws -> [Any]?
}
