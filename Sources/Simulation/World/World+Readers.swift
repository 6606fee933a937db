import CloudKitTesting

/// Several people who share a public database, and use each other's devices for a while.
///
///     ada's device ── ada ──▶ bob, who is told nothing of ada's albums: they stay ──▶ ada, who is told what became of them
///
/// Nobody tells of deletions there: all names are compared once a day.
extension World {
  /// The developer says that albums are for their makers alone.
  func closeAlbums() async throws {
    if plan.mutation != .openAlbums { try await cloud.importSchema(Ownership.schema) }
  }

  func view(of account: String) throws -> ServerView {
    guard let view = views.first(where: { $0.account == account })?.view else {
      throw DeviceIsOff(name: account)
    }
    return view
  }

  /// The names of all records, whoever may read them.
  func allNames() async throws -> Set<String> {
    var names: Set<String> = []
    for (_, view) in views { names.formUnion(try await view.names()) }
    return names
  }

  // MARK: What people do

  /// Somebody else uses a device from now on, on which nothing waits: it would be sent in their
  /// name, or never.
  func visit(_ device: SimulatedDevice) async throws {
    guard try device.pendingCount() == 0 else { return }
    try await signIn(device.account == World.user ? GuestUser.user : World.user, on: device)
  }

  /// Whoever visits a device leaves it when what they have done there was sent.
  func endVisit(_ device: SimulatedDevice) async throws {
    guard device.account != device.owner else { return }
    if plan.workload.isPublic { _ = try await finish(device) }
    try await signIn(device.owner, on: device)
  }

  private func signIn(_ account: String, on device: SimulatedDevice) async throws {
    if plan.workload.isPublic {
      leftBehind[device.name] = Set(try await device.contents().objects.keys)
    }
    try await device.signIn(as: account)
  }

  /// Notes who was deleted by others than their maker, whose device does not know for sure that the
  /// server had them.
  ///
  /// Nothing tells that device of the deletion: it asks for what was made and changed, and finds
  /// nothing, as if its own request had never arrived. So it sends the object again.
  func noteUnheard(_ effects: [Effect], by device: SimulatedDevice) async throws {
    guard plan.workload.isPublic else { return }
    for case .deleted(let key) in effects {
      guard let maker = devices.first(where: { $0.name == book.inserted[key] }),
        maker.name != device.name
      else {
        continue
      }
      // With its power a device may lose what it knew.
      let isSure =
        try await maker.durable([key], of: maker.contents()) == [key]
        && !plan.faults.contains(.power)
      if !isSure { book.noteUnheard(key) }
    }
  }

  // MARK: Checking

  /// Nobody's closed objects come to devices that they never used; those of whoever used a device
  /// before stay on it.
  func checkClosed(_ device: SimulatedDevice, _ contents: DeviceContents) {
    let strangers = plan.workload.accounts.filter { !device.users.contains($0) }
    for key in strangers.flatMap(contents.closed).sorted() {
      violate(.secrecy, "\(device.name) has \(key), whose maker never used it.")
    }
    for key in leftBehind[device.name, default: []].sorted()
    where contents.objects[key] == nil && Ownership.isClosed(key, to: device.account)
      && !book.deleted.contains(key)
    {
      violate(
        .lost,
        "\(key) is gone from \(device.name), whose present user cannot know what became of it.")
    }
  }

  /// What a device may have although it is gone: a former user alone was told of it, and its
  /// present one cannot know whether they might read it.
  ///
  /// Who is shown what others have made of its type can, and whoever has made it and is shown what
  /// else they have made of its type.
  func unheardOf(_ contents: DeviceContents, on device: SimulatedDevice, _ truth: DeviceContents)
    -> Set<String>
  {
    let open = Set(truth.entities.filter { !Ownership.has(device.owner, $0.key) }.values)
    let own = open.union(truth.entities.filter { Ownership.has(device.owner, $0.key) }.values)
    return leftBehind[device.name, default: []].filter { key in
      guard truth.objects[key] == nil, let entity = contents.entities[key] else { return false }
      return entity != Ownership.closedEntity
        && !(Ownership.has(device.owner, key) ? own : open).contains(entity)
    }
  }

  /// A device must know what its user may change.
  func checkPermissions(_ device: SimulatedDevice, _ contents: DeviceContents) throws {
    for key in try device.mistakenForOwn(contents) {
      violate(.secrecy, "\(device.name) takes \(key) for somebody else's to change than it is.")
    }
  }
}
