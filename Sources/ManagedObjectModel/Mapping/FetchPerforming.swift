/// A context that can perform the fetch of an expression.
package protocol FetchPerforming {
  /// The results of a fetch request.
  func results(ofFetch request: NSPersistentStoreRequest) throws -> [Any]
}
