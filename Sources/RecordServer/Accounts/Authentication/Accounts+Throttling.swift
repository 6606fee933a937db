package import CloudRecords

extension Accounts {
  /// Counts a request of somebody; what to say where it is one too many.
  ///
  /// - Parameter address: The network address that it comes from, by which those are told apart who have not signed in.
  package func refusal(of authentication: Authentication, from address: @autoclosure () -> String) -> CloudError? {
    guard let requests else { return nil }
    let name = authentication.caller.userRecordName ?? address()
    return requests.refusal(of: "\(authentication.realm.number) \(name)", at: now)
  }
}
