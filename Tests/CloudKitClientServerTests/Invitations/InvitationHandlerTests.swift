import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudRecords
import CloudTransport
import CurlTransport
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Invitation handlers")
struct InvitationHandlerTests {
  private let cloud: TestCloud
  private let bob: TestDevice
  private let container: CKContainer
  private let url: URL
  private let folder: String

  init() async throws {
    cloud = try await TestCloud()
    let anna = try await cloud.signIn("anna@example.com").container
    bob = try await cloud.signIn("bob@example.com")
    container = bob.container
    let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
    let share = CKShare(recordZoneID: zone.zoneID)
    share[CKShare.SystemFieldKey.title] = "Alps"
    share.addParticipant(try await anna.shareParticipant(forEmailAddress: "bob@example.com"))
    try await anna.privateCloudDatabase.save(share)
    url = try #require(share.url)
    folder = NSTemporaryDirectory() + "invitations-\(UUID().uuidString)"
  }

  /// The address of the page's button, as the server makes it for a user.
  private func handover(for device: TestDevice? = nil, container: String? = nil) async throws
    -> URL
  {
    let server = cloud.service.server
    let place = ContainerAddress(container: cloud.container, environment: .development)
    let realm = try #require(try await server.realm(of: place))
    let user = try #require((device ?? bob).userRecordName)
    let token = try await Handovers(server).make(
      forShare: url.lastPathComponent,
      Call(container: place, realm: realm, scope: .public, caller: .user(user)))
    let link = try #require(
      url.absoluteString.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    return try #require(
      URL(
        string:
          "parhelion-share:open?url=\(link)&container=\(container ?? cloud.container)"
          + "&environment=development&handover=\(token)"
      ))
  }

  private func get(_ address: String, _ fields: [(String, String)] = []) async throws -> (
    Int, String
  ) {
    let transport = CurlTransport()
    var request = TransportRequest(.get, address)
    request.headers = fields.map { (name: $0.0, value: $0.1) }
    let response = try await transport.send(request)
    await transport.shutdown()
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  @Test func `A waiting program gets the share that another program passes on`() async throws {
    let handler = try await container.invitationHandler(folder: folder)
    var shares = handler.makeAsyncIterator()
    #expect(try await CKContainer.openInvitation(try await handover(), folder: folder))
    let metadata = try #require(await shares.next())
    #expect(metadata.share[CKShare.SystemFieldKey.title] == "Alps")
    #expect(metadata.participantStatus == .pending)
    try await container.accept(metadata)
    await handler.stop()
    #expect(await shares.next() == nil)
    #expect(try await !CKContainer.openInvitation(try await handover(), folder: folder))
  }

  @Test func `An iterator retains its handler`() async throws {
    var shares = try await container.invitationHandler(folder: folder).makeAsyncIterator()
    #expect(try await CKContainer.openInvitation(try await handover(), folder: folder))
    #expect(await shares.next()?.share[CKShare.SystemFieldKey.title] == "Alps")
  }

  @Test func `An address works once, and only for its user and its container`() async throws {
    let handler = try await container.invitationHandler(folder: folder)
    let address = try await handover()
    #expect(try await CKContainer.openInvitation(address, folder: folder))
    await #expect { try await CKContainer.openInvitation(address, folder: folder) } throws: {
      CKError.permissionFailure ~= $0
    }
    await #expect { try await handler.receive(address) } throws: {
      CKError.permissionFailure ~= $0
    }
    let eve = try await cloud.signIn("eve@example.com")
    let foreign = try await handover(for: eve)
    await #expect { try await handler.receive(foreign) } throws: {
      CKError.permissionFailure ~= $0
    }
    let other = try await handover(container: "iCloud.com.example.other")
    await #expect { try await handler.receive(other) } throws: { CKError.invalidArguments ~= $0 }
    #expect(try await !CKContainer.openInvitation(other, folder: folder))
    await handler.stop()
  }

  private static let rest = "container=c&environment=development&handover"

  @Test(arguments: [
    "https://cloud.test/share/0abc", "parhelion-share:open", "parhelion-share:open?url=x",
    "parhelion-share:close?url=https%3A%2F%2Fa%2Fshare%2F0&\(rest)=a",
    "parhelion-share:open?url=https%3A%2F%2Fa%2Fshare%2F0&\(rest)=a&handover=b",
    "parhelion-share:open?url=https%3A%2F%2Fa%2Fshare%2F0%23k%3Dsecret&\(rest)=a",
    "parhelion-share:open?url=file%3A%2F%2F%2Fetc%2Fpasswd&\(rest)=a",
    "parhelion-share:open?url=https%3A%2F%2Fa%2Fshare%2F0&\(rest)=%0D%0A",
  ])
  func `Other addresses are no invitations`(_ text: String) async throws {
    let address = try #require(URL(string: text))
    await #expect { try await CKContainer.openInvitation(address, folder: folder) } throws: {
      CKError.invalidArguments ~= $0
    }
  }

  @Test func `A browser that comes back from the page delivers the share, once`() async throws {
    let handler = try await container.invitationHandler(folder: folder)
    var secret = URLComponents(url: url, resolvingAgainstBaseURL: false)
    secret?.fragment = "k=secret"
    let page = handler.page(for: try #require(secret?.url))
    #expect(!page.absoluteString.contains("secret") && page.fragment == nil)
    let items = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let port = try #require(items.first { $0.name == "ckCallbackPort" }?.value)
    let state = try #require(items.first { $0.name == "ckState" }?.value)
    let query = try await handover().absoluteString.drop { $0 != "?" }.dropFirst()
    let local = "http://127.0.0.1:\(port)/share?\(query)"
    #expect(
      try await get("\(local)&ckState=\(state)", [("Origin", "https://evil.example")]).0 == 403)
    #expect(try await get("\(local)&ckState=\(state)x").0 == 403)
    let (status, text) = try await get("\(local)&ckState=\(state)")
    #expect(status == 200 && text.contains("has the invitation"), "\(text)")
    var shares = handler.makeAsyncIterator()
    #expect(await shares.next()?.share[CKShare.SystemFieldKey.title] == "Alps")
    // The state works only once, even with a new handover.
    let again = try await handover().absoluteString.drop { $0 != "?" }.dropFirst()
    #expect(try await get("http://127.0.0.1:\(port)/share?\(again)&ckState=\(state)").0 == 403)
    #expect(try await get("http://127.0.0.1:\(port)/favicon.ico").0 == 404)
    await handler.stop()
  }

  @Test func `The file that an ended program left is removed`() async throws {
    let first = try await container.invitationHandler(folder: folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let name = try #require(names.first { $0 != "lock" })
    let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
    let mode =
      try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[
        .posixPermissions] as? Int
    #expect(mode == 0o600)
    await first.stop()
    let isMade = FileManager.default.createFile(
      atPath: "\(folder)/\(name)", contents: data, attributes: [.posixPermissions: 0o600])
    try #require(isMade)
    #expect(try await !CKContainer.openInvitation(try await handover(), folder: folder))
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name)"))
  }

  @Test func `The file of a program that does not answer stays`() async throws {
    let handler = try await container.invitationHandler(folder: folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let name = try #require(names.first { $0 != "lock" })
    let path = "\(folder)/\(name)"
    let data = try #require(FileManager.default.contents(atPath: path))
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    let port = try #require(lines.first.flatMap { UInt16($0) })
    let proxy = try FaultyProxy(to: port)
    defer { proxy.close() }
    proxy.fault = .answer([], .close)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data("\(proxy.port)\n\(lines[1])\n".utf8),
      attributes: [.posixPermissions: 0o600])
    try #require(isMade)
    let address = try await handover()
    await #expect { try await CKContainer.openInvitation(address, folder: folder) } throws: {
      CKError.permissionFailure ~= $0
    }
    #expect(proxy.connectionCount > 0 && FileManager.default.fileExists(atPath: path))
    await handler.stop()
  }

  @Test func `A program that the system started receives the address itself`() async throws {
    let handler = try await container.invitationHandler(folder: folder)
    let metadata = try await handler.receive(try await handover())
    var shares = handler.makeAsyncIterator()
    #expect(await shares.next() == metadata)
    await handler.stop()
  }
}
