import CloudKitTesting

/// Several users who share a public database, and use each other's devices for a while.
///
///     user of ada's device:  ada ──▶ bob: changes of ada's albums do not arrive, the albums stay
///                                     └──▶ ada: the missed changes arrive
///
/// The server reports no deletions in a public database, so devices compare all names once a day.
extension World {
  /// Sets the schema's permissions so that users may read only their own albums.
  func closeAlbums() async throws {
    if plan.mutation != .openAlbums { try await cloud.importSchema(Ownership.schema) }
  }

  func view(of account: String) throws -> ServerView {
    guard let view = views.first(where: { $0.account == account })?.view else {
      throw DeviceIsOff(name: account)
    }
    return view
  }

  /// The names of all records that any user may read.
  func allNames() async throws -> Set<String> {
    var names: Set<String> = []
    for (_, view) in views { names.formUnion(try await view.names()) }
    return names
  }

  /// The names of the records that a user's devices must have.
  func recordNames(of account: String) async throws -> Set<String> {
    guard let people else { return try await view(of: account).names() }
    return people.names(of: account)
  }

  // MARK: Changes by users

  /// Signs in another user on a device without pending changes, which would otherwise be sent by
  /// the wrong user, or never.
  func visit(_ device: SimulatedDevice) async throws {
    guard try device.pendingCount() == 0 else { return }
    try await signIn(device.account == World.user ? GuestUser.user : World.user, on: device)
  }

  /// Ends a visit; in a public database, the device exports the visitor's changes first.
  func endVisit(_ device: SimulatedDevice) async throws {
    guard device.account != device.owner else { return }
    if plan.workload.isPublic { _ = try await finish(device) }
    try await signIn(device.owner, on: device)
  }

  private func signIn(_ account: String, on device: SimulatedDevice) async throws {
    if plan.workload.isPublic {
      formerUsersObjects[device.name] = Set(try await device.contents().objects.keys)
    }
    try await device.signIn(as: account)
  }

  /// Records deletions of objects that another device inserted, if that device does not know
  /// whether the server had them.
  ///
  /// No feed reports such a deletion to the inserting device. Its query finds no record, as if its
  /// own request had never arrived, so it sends the object again.
  func recordUnseenDeletions(_ effects: [Effect], by device: SimulatedDevice) async throws {
    guard plan.workload.isPublic else { return }
    for case .deleted(let key) in effects {
      guard let maker = devices.first(where: { $0.name == acknowledged.inserted[key] }),
        maker.name != device.name
      else {
        continue
      }
      // The inserting device may lose that knowledge in a power failure.
      let isSure =
        try await maker.durable([key], of: maker.contents()) == [key]
        && !plan.faults.contains(.power)
      if !isSure { acknowledged.recordUnseenDeletions(key) }
    }
  }

  // MARK: Checking

  /// Checks that private objects reach only devices that their creator has used, and that a former
  /// user's private objects stay on the device.
  func checkClosed(_ device: SimulatedDevice, _ contents: DeviceContents) {
    let altered = plan.workload.accounts.filter { !device.users.contains($0) }
    for key in altered.flatMap(contents.closed).sorted() {
      violate(.secrecy, "\(device.name) has \(key), whose creator never used the device.")
    }
    for key in formerUsersObjects[device.name, default: []].sorted()
    where contents.objects[key] == nil && Ownership.isClosed(key, to: device.account)
      && !acknowledged.deleted.contains(key)
    {
      violate(
        .lost,
        "\(key) is missing on \(device.name), although its present user could not see its deletion."
      )
    }
  }

  /// The deleted objects that a device may still have, because only its former user could see the
  /// deletion.
  ///
  /// The device's owner sees the deletion of an own object if any object of its type is left.
  /// For the deletion of another user's object, an object of another user must be left.
  func undetectableDeletions(
    _ contents: DeviceContents, on device: SimulatedDevice, _ truth: DeviceContents
  )
    -> Set<String>
  {
    let open = Set(truth.entities.filter { !Ownership.has(device.owner, $0.key) }.values)
    let own = open.union(truth.entities.filter { Ownership.has(device.owner, $0.key) }.values)
    return formerUsersObjects[device.name, default: []].filter { key in
      guard truth.objects[key] == nil, let entity = contents.entities[key] else { return false }
      return entity != Ownership.closedEntity
        && !(Ownership.has(device.owner, key) ? own : open).contains(entity)
    }
  }

  /// Checks that a device knows which objects its user may change.
  func checkPermissions(_ device: SimulatedDevice, _ contents: DeviceContents) throws {
    for key in try device.misjudgedPermissions(contents) {
      violate(.secrecy, "\(device.name) misjudges whether its user may change \(key).")
    }
  }
}
