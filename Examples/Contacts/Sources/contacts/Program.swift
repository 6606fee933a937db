import CloudKit
import ContactBook
import Foundation

/// The command-line program, which runs one command as one device.
struct Program {
  static let usage = """
    usage: contacts [COMMAND …]

      status                     who is signed in, and whether this device has the keys of encrypted values
      sign-in [TOKEN]            sign in by the server's page, or by the token that the page has shown
      sign-out

      list                       the contacts
      add NAME [NUMBER]          add a contact; its telephone number is sealed on this device
      set NAME FIELD TEXT        set a field of a contact, such as city
      remove NAME
      find BEGINNING             find contacts on the server, by the beginning of their names
      watch [TIMES]              list the contacts after each change by another device, this many times

      share NAME                 share a contact with everyone who has the printed link
      invite PERSON              share all contacts with a person, by e-mail address or user record name
      unshare                    end all shares of this user
      accept ADDRESS             accept an invitation by its link
      shared                     list the contacts that others share
      shared set NAME FIELD TEXT set a field of a contact that others share
      leave                      leave all shares of others

      keys                       show the state of the keys, and the recovery code
      keys recover CODE          restore the keys with the recovery code
      keys ask NAME              get the keys from another device, to which this one is called NAME
      keys approve               give the keys to a device that asks
      keys allow                 give the encryption keys to participants who joined by a link
      keys start-over            reset encryption, and lose the encrypted values

      sync [add NAME | set NAME FIELD TEXT | remove NAME]
                                 the same contacts by a sync engine, kept in the file Contacts.book

    The cloud is that of PARHELION_CONTAINER, PARHELION_SERVER and PARHELION_API_TOKEN, or of the file that
    PARHELION_CONFIGURATION names, ~/.config/parhelion/cloud.json by default.
    """

  let container: CKContainer
  let zoneID = CKRecordZone.ID(zoneName: "Contacts")

  var database: CKDatabase { container.privateCloudDatabase }

  /// Runs a command line.
  ///
  /// - Returns: The exit status of the program.
  static func run(_ words: [String]) async -> Int32 {
    do {
      guard try await Program(container: CKContainer.default()).perform(words) else {
        report(usage)
        return 2
      }
      return 0
    } catch {
      report((error as? CKError)?.localizedDescription ?? "\(error)")
      return 1
    }
  }

  /// Prints a text and flushes the output, so that the text is visible while the program waits.
  static func show(_ text: String) {
    print(text)
    fflush(nil)
  }

  private static func report(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Runs a command.
  ///
  /// - Returns: Whether the command exists.
  private func perform(_ words: [String]) async throws -> Bool {
    switch (words[0], Array(words.dropFirst())) {
    case ("help", []): print(Self.usage)
    case ("status", []): try await showStatus()
    case ("sign-in", let rest) where rest.count < 2: try await signIn(rest.first)
    case ("sign-out", []): try await signOut()
    case ("keys", let rest): return try await performKeys(rest)
    case ("share", let rest) where rest.count == 1: try await share(rest[0])
    case ("invite", let rest) where rest.count == 1: try await invite(rest[0])
    case ("unshare", []): try await unshare()
    case ("accept", let rest) where rest.count == 1: try await accept(rest[0])
    case ("shared", []): try await listShared()
    case ("shared", let rest) where rest.count == 4 && rest[0] == "set":
      try await setShared(rest[1], rest[2], rest[3])
    case ("leave", []): try await leave()
    case ("sync", let rest): return try await sync(rest)
    default: return try await performOnContacts(words)
    }
    return true
  }

  // MARK: Who is signed in

  private func showStatus() async throws {
    guard try await container.accountStatus() == .available else {
      return print("No user is signed in: contacts sign-in")
    }
    print("signed in as", try await container.userRecordID().recordName)
    let keys =
      try await container.encryption.status() == .needsApproval ? "missing: contacts keys" : "there"
    print("the keys are", keys)
  }

  private func signIn(_ token: String?) async throws {
    if let token {
      try await container.signIn(webAuthToken: token)
    } else {
      try await container.signIn { page in Self.show("Open this page in a browser:\n\(page)") }
    }
    print("signed in as", try await container.userRecordID().recordName)
  }

  private func signOut() async throws {
    print(
      try await container.signOut()
        ? "signed out" : "signed out on this device; the server could not be told")
  }
}
