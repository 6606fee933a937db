/// The data of a user that the server reveals to other users.
package struct UserIdentity: Hashable, Sendable {
  /// The parts of a person's name.
  package struct NameComponents: Hashable, Sendable {
    package var namePrefix: String?
    package var givenName: String?
    package var middleName: String?
    package var familyName: String?
    package var nameSuffix: String?
    package var nickname: String?

    package init(givenName: String? = nil, familyName: String? = nil) {
      self.givenName = givenName
      self.familyName = familyName
    }
  }

  /// A way to look up a user.
  package enum LookupInfo: Hashable, Sendable {
    case emailAddress(String)
    case phoneNumber(String)
    case userRecordName(String)

    /// Whether both identify the same person.
    ///
    /// E-mail addresses are compared without regard to case.
    package func isSame(as other: LookupInfo) -> Bool { compared == other.compared }

    /// The form for comparisons, with e-mail addresses in lower case.
    ///
    /// The server stores the addresses of accounts in this form.
    package var compared: LookupInfo {
      guard case .emailAddress(let text) = self else { return self }
      return .emailAddress(
        String(
          decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self))
    }
  }

  package var userRecordName: String?
  package var nameComponents: NameComponents?
  package var lookupInfo: LookupInfo?

  package init(
    userRecordName: String? = nil, nameComponents: NameComponents? = nil,
    lookupInfo: LookupInfo? = nil
  ) {
    self.userRecordName = userRecordName
    self.nameComponents = nameComponents
    self.lookupInfo = lookupInfo
  }

  /// The user's record name, if it is known or was used for the lookup.
  package var knownName: String? {
    if let userRecordName { return userRecordName }
    guard case .userRecordName(let name) = lookupInfo else { return nil }
    return name
  }

  /// Whether both are known to be the same person.
  ///
  /// Record names decide if both have one: an address may have passed to another person.
  package func isSamePerson(as other: UserIdentity) -> Bool {
    if let knownName, let otherName = other.knownName { return knownName == otherName }
    guard let lookupInfo, let others = other.lookupInfo else { return false }
    return lookupInfo.isSame(as: others)
  }
}
