import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import Testing

/// The reports of a session to its delegate and to observers of its container.
private final class Reports: CloudSharingSessionDelegate, Sendable {
  let transcript = Transcript()

  func cloudSharingController(
    _ csc: CloudSharingSession, failedToSaveShareWithError error: any Error
  ) { transcript.note("failed", error) }
  func itemTitle(for csc: CloudSharingSession) -> String? { "Alps" }
  func itemThumbnailData(for csc: CloudSharingSession) -> Data? { Data([1, 2]) }
  func itemType(for csc: CloudSharingSession) -> String? { "com.example.trip" }
  func cloudSharingControllerDidSaveShare(_ csc: CloudSharingSession) { transcript.note("saved") }
  func cloudSharingControllerDidStopSharing(_ csc: CloudSharingSession) {
    transcript.note("stopped")
  }
}

@Suite("Sharing sessions")
struct CloudSharingSessionTests {
  private let cloud: TestCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let session: CloudSharingSession
  private let reports = Reports()
  private let calls = Transcript()

  init() async throws {
    cloud = try await TestCloud()
    anna = try await cloud.signIn("anna@example.com").container
    bob = try await cloud.signIn("bob@example.com").container
    let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
    let share = CKShare(recordZoneID: zone.zoneID)
    let (container, calls) = (anna, calls)
    session = CloudSharingSession { _, completion in
      calls.note("prepare")
      let answer = UncheckedAnswer(completion)
      Task {
        do {
          try await container.privateCloudDatabase.save(share)
          answer.completion(share, container, nil)
        } catch { answer.completion(nil, nil, error) }
      }
    }
    session.allowedSharingOptions.allowsAccessRequests = true
    session.allowedSharingOptions.allowsParticipantsToInviteOthers = true
  }

  // Sendable: only the task that the closure starts calls the completion handler.
  private struct UncheckedAnswer: @unchecked Sendable {
    let completion: (CKShare?, CKContainer?, (any Error)?) -> Void
    init(_ completion: @escaping (CKShare?, CKContainer?, (any Error)?) -> Void) {
      self.completion = completion
    }
  }

  private func people(_ session: CloudSharingSession) -> [String] {
    session.participants.dropFirst().map {
      "\($0.userIdentity.lookupInfo?.emailAddress ?? "-") \($0.role) \($0.permission)"
    }
  }

  @Test func `A session prepares its share once and describes it when it is saved`() async throws {
    session.delegate = reports
    #expect(session.share == nil && session.link == nil && session.participants.isEmpty)
    #expect(session.title == "Alps" && session.thumbnail == Data([1, 2]))
    let share = try await session.prepare()
    try await session.prepare()
    #expect(calls.lines == ["prepare"] && session.share === share && session.container == anna)
    #expect(session.link == share.url && session.isOwner && session.isManager)
    try await session.setAllowsAccessRequests(true)
    let stored = try #require(
      try await anna.privateCloudDatabase.record(for: share.recordID) as? CKShare)
    #expect(stored[CKShare.SystemFieldKey.title] == "Alps" && stored.allowsAccessRequests)
    #expect(stored[CKShare.SystemFieldKey.shareType] == "com.example.trip")
    #expect(stored[CKShare.SystemFieldKey.thumbnailImageData] == Data([1, 2]))
    #expect(reports.transcript.lines == ["saved"])
  }

  @Test func `A failed preparation is reported, and is not repeated`() async throws {
    let session = CloudSharingSession { _, completion in
      completion(nil, nil, CKError(.quotaExceeded))
      // Only the first answer counts.
      completion(nil, nil, nil)
    }
    session.delegate = reports
    await #expect { try await session.prepare() } throws: { CKError.quotaExceeded ~= $0 }
    await #expect { try await session.setPublicPermission(.readOnly) } throws: {
      CKError.internalError ~= $0
    }
    #expect(reports.transcript.lines == ["failed: quotaExceeded", "failed: internalError"])
    let empty = CloudSharingSession { _, completion in completion(nil, nil, nil) }
    await #expect { try await empty.prepare() } throws: { CKError.invalidArguments ~= $0 }
  }

  @Test func `People are invited, changed and removed`() async throws {
    try await session.invite(emailAddress: "bob@example.com")
    try await session.invite(
      emailAddress: "carol@example.com", permission: .readWrite, role: .administrator)
    #expect(
      people(session) == [
        "bob@example.com privateUser readOnly", "carol@example.com administrator readWrite",
      ])
    let guest = session.participants[1]
    try await session.setPermission(.readWrite, of: guest)
    try await session.setRole(.administrator, of: guest)
    #expect(people(session).first == "bob@example.com administrator readWrite")
    // The participant of the former share does not change.
    #expect(guest.permission == .readOnly)
    try await session.remove(session.participants[2])
    #expect(session.participants.count == 2)
    await #expect { try await session.remove(session.participants[0]) } throws: {
      CKError.invalidArguments ~= $0
    }
    try await bob.accept(try await bob.shareMetadata(for: try #require(session.link)))
    #expect(try await session.refresh().participants[1].acceptanceStatus == .accepted)
  }

  @Test func `A change is applied to the latest version of the share`() async throws {
    try await session.invite(emailAddress: "bob@example.com")
    let share = try #require(session.share)
    let other = CloudSharingSession(share: share, container: anna)
    try await other.invite(emailAddress: "carol@example.com")
    try await session.setPermission(.readWrite, of: session.participants[1])
    #expect(
      people(session) == [
        "bob@example.com privateUser readWrite", "carol@example.com privateUser readOnly",
      ])
  }

  @Test func `Access is opened and closed, and requests are answered`() async throws {
    try await session.setAllowsAccessRequests(true)
    let link = try #require(session.link)
    try await bob.requestShareAccess(for: [link])[link]?.get()
    try await session.refresh()
    try await session.deny(try #require(session.requesters.first))
    #expect(session.requesters.isEmpty)
    try await bob.requestShareAccess(for: [link])[link]?.get()
    try await session.refresh()
    try await session.block(try #require(session.requesters.first))
    #expect(session.blockedIdentities.count == 1)
    try await session.unblock(session.blockedIdentities[0])
    try await bob.requestShareAccess(for: [link])[link]?.get()
    try await session.refresh()
    try await session.approve(try #require(session.requesters.first), permission: .readWrite)
    #expect(session.participants.last?.isApprovedRequester == true)
    try await session.setPublicPermission(.readOnly)
    #expect(session.share?.publicPermission == .readOnly)
    await #expect { try await session.invite(emailAddress: "eve@example.com") } throws: {
      CKError.invalidArguments ~= $0
    }
    try await session.setPublicPermission(.none)
    #expect(session.participants.count == 1)
  }

  @Test func `A one-time link invites one person`() async throws {
    let link = try await session.makeOneTimeLink(permission: .readWrite)
    let other = try await session.makeOneTimeLink()
    #expect(link != other && link != session.link)
    try await bob.accept(try await bob.shareMetadata(for: link))
    #expect(try await session.refresh().participants[1].permission == .readWrite)
  }

  @Test func `Changes that the options do not allow are rejected, and nothing is saved`()
    async throws
  {
    session.delegate = reports
    session.allowedSharingOptions = CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: .readOnly,
      allowedParticipantAccessOptions: .specifiedRecipientsOnly)
    let refused: [@Sendable (CloudSharingSession) async throws -> Void] = [
      { try await $0.invite(emailAddress: "b@example.com", permission: .readWrite) },
      { try await $0.invite(emailAddress: "b@example.com", role: .administrator) },
      { try await $0.invite(emailAddress: "b@example.com", permission: .none) },
      { try await $0.setPublicPermission(.readOnly) },
      { try await $0.setAllowsAccessRequests(true) },
      { _ = try await $0.makeOneTimeLink(permission: .readWrite) },
    ]
    for change in refused {
      await #expect { try await change(session) } throws: { CKError.invalidArguments ~= $0 }
    }
    session.allowedSharingOptions = .standard
    session.availablePermissions = [.allowPublic, .allowReadOnly]
    await #expect { try await session.invite(emailAddress: "b@example.com") } throws: {
      CKError.invalidArguments ~= $0
    }
    try await session.setPublicPermission(.readOnly)
    #expect(session.participants.count == 1)
  }

  @Test func `Events and observers report saved, failed and stopped changes`() async throws {
    session.delegate = reports
    let observed = Transcript()
    let observer = CKSystemSharingUIObserver(container: anna)
    observer.systemSharingUIDidSaveShareBlock = { observed.note("save \($0.recordName)", $1) }
    observer.systemSharingUIDidStopSharingBlock = { observed.note("stop \($0.recordName)", $1) }
    let elsewhere = CKSystemSharingUIObserver(container: bob)
    elsewhere.systemSharingUIDidSaveShareBlock = { observed.note("elsewhere \($0)", $1) }
    let events = session.events
    try await session.invite(emailAddress: "bob@example.com")
    // Changes fail on a device without a network.
    let device = try await cloud.signIn("anna@example.com")
    let container = device.container
    let offline = CloudSharingSession(share: try #require(session.share), container: container)
    offline.delegate = reports
    let offlineObserver = CKSystemSharingUIObserver(container: container)
    offlineObserver.systemSharingUIDidSaveShareBlock = { observed.note("save", $1) }
    offlineObserver.systemSharingUIDidStopSharingBlock = { observed.note("stop", $1) }
    device.network.isOnline = false
    await #expect(throws: CKError.self) { try await offline.setPublicPermission(.readOnly) }
    #expect(offline.share?.publicPermission == CKShare.ParticipantPermission.none)
    await #expect(throws: CKError.self) { try await offline.stop() }
    try await session.stop()
    #expect(session.share == nil && session.link == nil)
    await #expect { try await session.invite(emailAddress: "b@example.com") } throws: {
      CKError.unknownItem ~= $0
    }
    var kinds: [String] = []
    for await event in events {
      switch event {
      case .saved(let share): kinds.append("saved \(share.participants.count)")
      case .failed: kinds.append("failed")
      case .stopped: kinds.append("stopped")
      }
      if kinds.count == 3 { break }
    }
    #expect(kinds == ["saved 2", "stopped", "failed"])
    #expect(
      observed.lines == [
        "save cloudkit.zoneshare: done", "save: networkUnavailable", "stop: networkUnavailable",
        "stop cloudkit.zoneshare: done",
      ])
    #expect(
      reports.transcript.lines == [
        "saved", "failed: networkUnavailable", "failed: networkUnavailable", "stopped",
        "failed: unknownItem",
      ])
    withExtendedLifetime((observer, elsewhere, offlineObserver)) {}
  }

  @Test func `A participant's session leaves the share`() async throws {
    try await session.invite(emailAddress: "bob@example.com", permission: .readWrite)
    let metadata = try await bob.shareMetadata(for: try #require(session.link))
    let shared = try await bob.accept(metadata)
    let own = CloudSharingSession(share: shared, container: bob)
    #expect(!own.isManager && !own.isOwner)
    await #expect { try await own.setPublicPermission(.readOnly) } throws: {
      CKError.permissionFailure ~= $0
    }
    try await own.stop()
    #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
    #expect(try await session.refresh().participants.count == 1)
    // Stopping again is no error.
    try await CloudSharingSession(share: try #require(session.share), container: anna).stop()
    try await session.stop()
  }

  @Test func `A participant's session ends after the owner has removed the participant`()
    async throws
  {
    try await session.invite(emailAddress: "bob@example.com", permission: .readWrite)
    let metadata = try await bob.shareMetadata(for: try #require(session.link))
    let own = CloudSharingSession(share: try await bob.accept(metadata), container: bob)
    own.delegate = reports
    _ = try await session.refresh()
    try await session.remove(session.participants[1])
    try await own.stop()
    #expect(own.share == nil && reports.transcript.lines == ["stopped"])
  }

  @Test func `A transfer representation makes a session for an item`() async throws {
    let share = try await session.prepare()
    let options = CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: .readOnly, allowedParticipantAccessOptions: .any)
    let container = anna
    let representation = CKShareTransferRepresentation<Bool> { isShared in
      isShared
        ? .existing(share, container: container, allowedSharingOptions: options)
        : .prepareShare(container: container) { share }
    }
    let existing = representation.session(for: true)
    #expect(existing.share === share && existing.allowedSharingOptions == options)
    let prepared = representation.session(for: false)
    #expect(prepared.share == nil && prepared.allowedSharingOptions == .standard)
    #expect(try await prepared.prepare() === share && prepared.container == container)
  }
}

// MARK: - The code of WWDC21 session 10015, with the controller's name changed

private final class Post: Sendable {
  let title = "A post"
}

/// The part of a view controller that shows another one.
private final class NotesViewController: CloudSharingSessionDelegate {
  private(set) var presented: CloudSharingSession?
  var post: Post?
  private let container: CKContainer
  private let share: CKShare

  init(_ container: CKContainer, _ share: CKShare) {
    (self.container, self.share) = (container, share)
  }

  private func present(
    _ controller: CloudSharingSession, animated: Bool, completion: (() -> Void)? = nil
  ) {
    presented = controller
    completion?()
  }

  func shareNoteAction(_ sender: Any) {
    guard let post = self.post else { fatalError("Nothing to share") }
    let (container, known) = (self.container, self.share)
    let cloudSharingController = CloudSharingSession {
      (controller, completion: @escaping (CKShare?, CKContainer?, (any Error)?) -> Void) in
      known[CKShare.SystemFieldKey.title] = post.title
      completion(known, container, nil)
    }
    cloudSharingController.delegate = self
    present(cloudSharingController, animated: true) {}
  }

  func cloudSharingController(
    _ csc: CloudSharingSession, failedToSaveShareWithError error: any Error
  ) {}
  func itemTitle(for csc: CloudSharingSession) -> String? { post?.title }
}

extension CloudSharingSessionTests {
  @Test func `The talk's code compiles with one name changed`() async throws {
    let share = try await session.prepare()
    let controller = NotesViewController(anna, share)
    controller.post = Post()
    controller.shareNoteAction(self)
    let presented = try #require(controller.presented)
    try await presented.prepare()
    #expect(presented.title == "A post")
  }
}

@Suite struct SharingOptionTests {
  @Test func `Options are copied, archived and compared by value`() throws {
    let options = CKAllowedSharingOptions.standard
    #expect(options.allowedParticipantPermissionOptions == [.readOnly, .readWrite])
    #expect(options.allowedParticipantAccessOptions == .any)
    #expect(!options.allowsAccessRequests && !options.allowsParticipantsToInviteOthers)
    options.allowsAccessRequests = true
    options.allowsParticipantsToInviteOthers = true
    options.allowedParticipantAccessOptions = .anyoneWithLink
    #expect(options != .standard)
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: options, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKAllowedSharingOptions.self, from: data)
    #expect(read == options && read?.hash == options.hash)
    let copy = try #require(options.copy() as? CKAllowedSharingOptions)
    copy.allowsAccessRequests = false
    #expect(options.allowsAccessRequests && copy != options)
  }
}
