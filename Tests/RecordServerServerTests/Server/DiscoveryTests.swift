import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct `Discovering users` {
  private func register(
    _ cloud: Cloud, _ name: String, _ addresses: [UserIdentity.LookupInfo],
    isDiscoverable: Bool = true
  ) async throws -> Client {
    let client = try await cloud.user(name)
    var user = StoredUser(identity: UserIdentity(userRecordName: name))
    user.provenAddresses = addresses
    user.isDiscoverable = isDiscoverable
    try await cloud.server.saveUser(user, named: name, in: client.realm)
    return client
  }

  private func discover(_ client: Client, _ infos: String...) async throws -> [String?] {
    let list = infos.map { "{\($0)}" }.joined(separator: ",")
    let reply = try await client.ask(.public, .usersDiscover, #"{"lookupInfos":[\#(list)]}"#)
    return reply["users"].list.map { $0["userRecordName"].text }
  }

  @Test func `Discoverable users are found by their identifiers`() async throws {
    let cloud = Cloud()
    let ada = try await register(
      cloud, "_ada", [.emailAddress("Ada@example.com"), .phoneNumber("+441")])
    let bob = try await register(
      cloud, "_bob", [.emailAddress("bob@example.com")], isDiscoverable: false)
    let (mail, phone) = (#""emailAddress":"aDa@Example.com""#, #""phoneNumber":"+441""#)
    let (name, other) = (#""userRecordName":"_ada""#, #""emailAddress":"bob@example.com""#)
    #expect(try await discover(bob, mail, phone, name, other) == ["_ada", "_ada", "_ada"])
    #expect(
      try await discover(bob, #""phoneNumber":"ada@example.com""#, #""userRecordName":"_bob""#)
        == [])
    _ = try await register(cloud, "_bob", [.emailAddress("bob@example.com")])
    _ = try await register(cloud, "_ada", [.emailAddress("new@example.com")])
    #expect(try await discover(bob, mail, phone, name, other) == ["_ada", "_bob"])
    #expect(try await discover(ada, #""emailAddress":"new@example.com""#) == ["_ada"])
    _ = try await register(cloud, "_ada", [.emailAddress("new@example.com")], isDiscoverable: false)
    #expect(try await discover(bob, #""emailAddress":"new@example.com""#, name) == [])
    // Another environment has its own users.
    let elsewhere = try await cloud.user("_bob", environment: .production)
    #expect(try await discover(elsewhere, other) == [])
  }

  @Test func `The address of a removed account finds no user`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann@example.com")
    try await accountServer.accounts.setAddressProven(true, ofAccountNamed: "ann@example.com")
    try await accountServer.accounts.setDiscoverable(true, accountNamed: "ann@example.com")
    try await accountServer.cloud.server.runMaintenance()
    let session = try await accountServer.signIn("ann@example.com")
    let bob = try await accountServer.cloud.user("_bob")
    let address = #""emailAddress":"ann@example.com""#
    #expect(try await discover(bob, address) == [session.userRecordName])
    try await accountServer.accounts.remove(accountNamed: "ann@example.com")
    #expect(try await discover(bob, address) == [])
  }

  @Test func `The cost is the same among many users`() async throws {
    let engine = EntryCountingEngine()
    let cloud = Cloud(engine: engine)
    for number in 0..<1_200 {
      _ = try await register(cloud, "_u\(number)", [.emailAddress("u\(number)@example.com")])
    }
    let ada = try await cloud.user("_u7")
    engine.reset()
    let infos = [#""emailAddress":"u1199@example.com""#, #""emailAddress":"none@example.com""#]
    #expect(try await discover(ada, infos[0], infos[1]) == ["_u1199"])
    #expect(engine.entries < 10, "\(engine.entries)")
  }
}
