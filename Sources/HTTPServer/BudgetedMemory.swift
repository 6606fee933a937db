/// Memory from a limited budget, which holds the body of a request or of a response.
package protocol BudgetedMemory: AnyObject, Sendable {
  /// Counts bytes of a body before they are kept.
  ///
  /// - Throws: An error if there is no memory for them.
  func grow(by more: Int) throws

  /// Whether the budget has too little memory for other requests.
  ///
  /// Meanwhile the client must send or read faster.
  var isShort: Bool { get }
}
