import CloudRecords
import CloudSchema
import RecordServer
import Testing

/// The whole table of permissions: every action by every kind of caller in every state of a share.
///
/// One letter for each action, in the order of `Action.allCases`: `+` allowed, `-` denied, `?`
/// hidden, `@` sign in first.
@Suite struct `Permissions of callers` {
  private func row(_ caller: Caller, _ subject: Subject) -> String {
    String(
      Action.allCases.map { action in
        switch Permission.decide(action, by: caller, on: subject) {
        case .allowed: "+"
        case .denied: "-"
        case .hidden: "?"
        case .signInRequired: "@"
        }
      })
  }

  @Test func `Actions have the order of the tables`() {
    #expect(
      Action.allCases == [
        .readRecord, .createRecord, .changeRecord, .deleteRecord, .createShare, .readShare,
        .changeShare,
        .manageParticipants, .endShare, .leaveShare, .createZone, .deleteZone, .seeZone, .subscribe,
        .resolveShare, .joinShare, .readKeyBag, .writeKeyBag,
      ])
  }

  // The columns: read, create, change, delete record; create, read, change share; manage; end;
  // leave; create, delete, see zone; subscribe; resolve, join share; read, write key bag.
  private static let granted: [(grants: RecordPermissions, signedIn: String, anonymous: String)] = [
    ([], "----", "@@@@"), (.read, "+---", "+@@@"), (.create, "-+--", "@@@@"),
    (.write, "--++", "@@@@"),
    ([.read, .create], "++--", "+@@@"), ([.read, .write], "+-++", "+@@@"),
    ([.create, .write], "-+++", "@@@@"),
    ([.read, .create, .write], "++++", "+@@@"),
  ]

  @Test(arguments: granted)
  func `Public records follow the grants`(
    grants: RecordPermissions, signedIn: String, anonymous: String
  ) {
    let shares = "--------------"
    #expect(row(.user("_a"), .publicRecord(grants: grants)) == signedIn + shares)
    #expect(row(.server("_k"), .publicRecord(grants: grants)) == signedIn + shares)
    #expect(row(.anonymous, .publicRecord(grants: grants)) == anonymous + shares)
  }

  @Test func `The public database has its own permissions`() {
    #expect(row(.user("_a"), .publicDatabase) == "------------++----")
    #expect(row(.server("_k"), .publicDatabase) == "------------++----")
    #expect(row(.anonymous, .publicDatabase) == "------------+@----")
  }

  @Test func `Users have all permissions in their private database`() {
    #expect(row(.user("_a"), .own(.customZone)) == "+++++++++-++++++++")
    #expect(row(.user("_a"), .own(.defaultZone)) == "++++-+--+---++++++")
  }

  @Test(arguments: Subject.Place.allCases)
  func `Callers without a user have no permission in private databases`(place: Subject.Place) {
    for action in Action.allCases {
      #expect(Permission.decide(action, by: .anonymous, on: .own(place)) == .signInRequired)
      guard case .denied = Permission.decide(action, by: .server("_k"), on: .own(place)) else {
        Issue.record("A server's key may \(action) in a private database")
        continue
      }
    }
  }

  @Test func `Another user's private database appears not to exist`() {
    #expect(row(.user("_a"), .otherPrivateDatabase) == "??????????????????")
    #expect(row(.anonymous, .otherPrivateDatabase) == "@@@@@@@@@@@@@@@@@@")
    #expect(row(.server("_k"), .otherPrivateDatabase) == "------------------")
  }

  private static let shared: [(ShareRole, Coverage, String)] = {
    var rows: [(ShareRole, Coverage, String)] = []
    for coverage in Coverage.allCases {
      for standing in [ShareRole.outsider, .invited] {
        rows.append((standing, coverage, "??????????????????"))
      }
    }
    // The owner's own records belong to no other user. A user listed as the owner of another user's
    // share gains nothing.
    for role in ShareParticipant.Role.allCases {
      let share = role == .administrator ? "-+-+-+" : "-+---+"
      // The zone's keys are for users who see all of it.
      func keys(_ coverage: Coverage) -> String {
        coverage == .outsideTree ? "--" : role == .administrator ? "++" : "+-"
      }
      func add(_ permission: ShareParticipant.Permission, _ coverage: Coverage, _ records: String) {
        rows.append(
          (
            .participant(role, permission), coverage,
            records + share + "--++" + "++" + keys(coverage)
          ))
      }
      for coverage in Coverage.allCases {
        add(.none, coverage, coverage == .outsideTree ? "?-??" : "????")
      }
      for coverage in [Coverage.wholeZone, .inTree, .root] { add(.readOnly, coverage, "+---") }
      add(.readOnly, .outsideTree, "?-??")
      add(.readWrite, .wholeZone, "++++")
      add(.readWrite, .inTree, "++++")
      add(.readWrite, .root, "+++-")
      add(.readWrite, .outsideTree, "?-??")
    }
    return rows
  }()

  @Test func `Access to shared records depends on the role and the share's coverage`() {
    #expect(Self.shared.count == 8 + 4 * 12)
    for (standing, coverage, expected) in Self.shared {
      #expect(row(.user("_b"), .others(standing, coverage)) == expected, "\(standing), \(coverage)")
      #expect(row(.anonymous, .others(standing, coverage)) == "@@@@@@@@@@@@@@@@@@")
      #expect(row(.server("_k"), .others(standing, coverage)) == "------------------")
    }
  }

  @Test(arguments: [
    (LinkStanding.owner, "+?????????????++??"), (.participant(.none), "??????????????++??"),
    (.participant(.readOnly), "+?????????????++??"),
    (.participant(.readWrite), "+?????????????++??"),
    (.uninvited(.none), "??????????????+-??"), (.uninvited(.readOnly), "+?????????????++??"),
    (.uninvited(.readWrite), "+?????????????++??"),
  ])
  func `A link to a share gives permissions`(standing: LinkStanding, expected: String) {
    #expect(row(.user("_b"), .link(standing)) == expected)
    #expect(row(.anonymous, .link(standing)) == "@@@@@@@@@@@@@@@@@@")
    #expect(row(.server("_k"), .link(standing)) == "------------------")
  }

  @Test func `Users' keys have their own permissions`() {
    #expect(row(.user("_a"), .userKeys(isOwn: true)) == "????????????????++")
    #expect(row(.user("_a"), .userKeys(isOwn: false)) == "????????????????+-")
    for isOwn in [true, false] {
      #expect(row(.anonymous, .userKeys(isOwn: isOwn)) == "@@@@@@@@@@@@@@@@@@")
      #expect(row(.server("_k"), .userKeys(isOwn: isOwn)) == "------------------")
    }
  }

  @Test func `An error hides what the caller may not know`() {
    let gone = CloudError(.zoneNotFound, "There is no zone.")
    #expect(Permission.allowed.error(hiding: gone) == nil)
    #expect(Permission.hidden.error(hiding: gone) == gone)
    #expect(Permission.denied("No.").error(hiding: gone) == CloudError(.accessDenied, "No."))
    #expect(Permission.signInRequired.error(hiding: gone)?.code == .authenticationRequired)
  }
}
