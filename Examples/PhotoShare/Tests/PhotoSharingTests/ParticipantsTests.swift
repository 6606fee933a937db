import CloudKit
import Foundation
import PhotoSharing
import Testing

@MainActor @Suite struct ParticipantsTests {
  @Test(arguments: Provider.allCases)
  func `The owner is first, and others follow`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let rows = try gallery.participants("Northern lights").rows
      #expect(rows.map(\.status) == ["Owner", "Accepted", "Pending"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `Rows show each person's permission`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let rows = try gallery.participants("Northern lights").rows
      #expect(rows.map(\.permission) == ["Can edit", "Can edit", "Can view"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `Each person has a name`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let names = try gallery.participants("Northern lights").rows.map(\.name)
      #expect(names.count == 3)
      #expect(names[1].hasPrefix("bob"))
      #expect(names[2].hasPrefix("carl"))
    }
  }

  @Test(arguments: Provider.allCases)
  func `An owner invites and removes`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      #expect(model.canInvite)
      #expect(model.rows.map(\.isRemovable) == [false, true, true])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A participant can neither invite nor remove`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Bob's comets")
      #expect(!model.canInvite)
      #expect(model.rows.allSatisfy { !$0.isRemovable })
      await #expect(throws: SharingFailure.notOwner) { try await model.invite("eve@example.com") }
      await #expect(throws: SharingFailure.notOwner) { try await model.remove(at: 1) }
      #expect(model.rows.count == 2)
    }
  }

  @Test(arguments: Provider.allCases)
  func `An invited person is pending and can edit`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      try await model.invite("dora@example.com")
      let row = try #require(model.rows.first { $0.name.hasPrefix("dora") })
      #expect(row.status == "Pending")
      #expect(row.permission == "Can edit")
      #expect(model.rows.count == 4)
    }
  }

  @Test(arguments: Provider.allCases)
  func `An invitation can allow viewing only`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      try await model.invite("dora@example.com", permission: .readOnly)
      #expect(model.rows.first { $0.name.hasPrefix("dora") }?.permission == "Can view")
    }
  }

  @Test(arguments: Provider.allCases)
  func `Spaces and capitals of an address do not matter`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      try await model.invite("  Carl@Example.com ", permission: .readWrite)
      #expect(model.rows.count == 3)
      #expect(model.rows.first { $0.name.hasPrefix("carl") }?.permission == "Can edit")
    }
  }

  @Test(
    arguments: Provider.allCases, ["", "eve", "eve@", "@example.com", "eve@exa@mple", "   "])
  func `A text that is not an address is not invited`(_ provider: Provider, _ text: String)
    async throws
  {
    // Only the text is checked, so the cloud gets one text, and the double gets all.
    guard provider == .double || text == "eve" else { return }
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      await #expect(throws: SharingFailure.noAddress(text)) { try await model.invite(text) }
      #expect(model.rows.count == 3)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A removed participant is gone`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      let row = try #require(model.rows.firstIndex { $0.status == "Pending" })
      try await model.remove(at: row)
      #expect(model.rows.map(\.status) == ["Owner", "Accepted"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `The owner cannot be removed`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Northern lights")
      await #expect(throws: SharingFailure.notOwner) { try await model.remove(at: 0) }
      #expect(model.rows.count == 3)
    }
  }

  @Test(arguments: Provider.allCases)
  func `The link can be copied`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try gallery.participants("Northern lights").link != nil)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A share that the owner ended is shown as ended`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.participants("Bob's comets")
      #expect(!model.hasEnded)
      try await gallery.bobEnds("Bob's comets")
      #expect(model.hasEnded)
      #expect(model.rows.isEmpty)
    }
  }

  // MARK: Words

  private func participant(
    _ status: CKShare.ParticipantAcceptanceStatus = .accepted,
    _ permission: CKShare.ParticipantPermission = .readOnly,
    role: CKShare.ParticipantRole = .privateUser, name: PersonNameComponents? = nil,
    address: String? = "eve@example.com"
  ) -> StubParticipant {
    StubParticipant(address, role, permission, status, name: name)
  }

  @Test func `Each acceptance has its word`() {
    #expect(ParticipantsModel.status(of: participant(.accepted)) == "Accepted")
    #expect(ParticipantsModel.status(of: participant(.pending)) == "Pending")
    #expect(ParticipantsModel.status(of: participant(.removed)) == "Removed")
    #expect(ParticipantsModel.status(of: participant(.unknown)) == "Unknown")
    #expect(ParticipantsModel.status(of: participant(.accepted, role: .owner)) == "Owner")
  }

  @Test func `Each permission has its words`() {
    #expect(ParticipantsModel.permission(of: participant(.accepted, .readWrite)) == "Can edit")
    #expect(ParticipantsModel.permission(of: participant(.accepted, .readOnly)) == "Can view")
    #expect(ParticipantsModel.permission(of: participant(.accepted, .none)) == "No access")
    #expect(ParticipantsModel.permission(of: participant(.accepted, .unknown)) == "Unknown")
  }

  @Test func `A person is shown by name, else by address`() {
    var name = PersonNameComponents()
    name.givenName = "Eve"
    #expect(ParticipantsModel.name(of: participant(name: name)) == "Eve")
    name.familyName = "Moneypenny"
    #expect(ParticipantsModel.name(of: participant(name: name)) == "Eve Moneypenny")
    #expect(ParticipantsModel.name(of: participant()) == "eve@example.com")
    #expect(ParticipantsModel.name(of: participant(address: nil)) == "Unknown person")
    #expect(
      ParticipantsModel.name(of: participant(name: PersonNameComponents())) == "eve@example.com")
  }

  @Test func `People are not invited to a share that is public`() async throws {
    try await withGallery(.double) { gallery in
      let model = try gallery.participants("Northern lights")
      gallery.double?.change("north") { $0.publicPermission = .readOnly }
      #expect(!model.canInvite)
    }
  }

  @Test func `A change by another person is shown at once`() async throws {
    try await withGallery(.double) { gallery in
      let model = try gallery.participants("Northern lights")
      gallery.double?.change("north") { $0.participants[2].acceptanceStatus = .accepted }
      #expect(model.rows.map(\.status) == ["Owner", "Accepted", "Accepted"])
    }
  }
}
