import CloudKitClient
import CloudRecords

/// The activity of a world's users.
package enum Workload: String, CaseIterable, Sendable {
  /// Users insert and delete objects.
  case addDelete
  /// Users change the same objects, and sometimes delete an object that other users change.
  case concurrentEdits
  /// Users change to-one and to-many relationships.
  case relations
  /// Users store values large enough for assets, and make them small again.
  case largeValues
  /// Users insert objects with unique values, and objects that reference them.
  case constraints
  /// Users save often, always two related objects together.
  case manySmallSaves
  /// Users save as in `manySmallSaves`, and sometimes many objects, even too many for one request.
  case fewLargeSaves
  /// Devices lose their stores, and fetch everything again.
  case storeComesBack
  /// Users contribute to discussions, in which each contribution follows another one.
  case contributions
  /// Users change a few shared objects, mostly on devices that export before they import.
  case staleEdits
  /// Users move, sort, and mark the same cards on boards, mostly before they import.
  case boards
  /// Devices have two versions of the program and are updated during the run, as is the production
  /// schema.
  case versions
  /// Users assign lockers to members, one to each.
  case lockers
  /// Users delete owners, with cascade and deny rules.
  case cascades
  /// Users keep animals of several entities with common properties.
  case kinds
  /// Users keep encrypted values, and reset the keys; one device gets the keys later.
  case secrets
  /// Another user signs in on the devices for a while.
  case visitors
  /// Users delete all data in the cloud, and each device's user chooses whether to upload it again
  /// or remove it.
  case purges
  /// Two users share a public database with a record type that only creators may read, and use each
  /// other's devices for a while.
  case readers
  /// Devices have a local store and a mirrored one, and users move objects between the two.
  case drafts
  /// Two or three users share folders of notes with each other, and stop sharing.
  case sharing

  /// The workloads that a seed chooses from: all but sharing, which can meet known issues.
  package static let chosen = allCases.filter { $0 != .sharing }

  /// The kinds of changes, weighted by repetition.
  var changes: [Change.Kind] {
    switch self {
    case .addDelete, .storeComesBack: [.addNote, .addNote, .addNote, .deleteAny, .setTitle]
    case .concurrentEdits, .visitors, .purges:
      [
        .addNote, .addNote, .setTitle, .setTitle, .setTitle, .setBody, .setBody, .setCount,
        .setCount, .deleteAny,
      ]
    case .relations:
      [
        .addNote, .addNote, .addFolder, .addTag, .setFolder, .setFolder, .toggleTag, .toggleTag,
        .toggleTag, .deleteAny,
      ]
    case .largeValues: [.addNote, .setLargeData, .setLargeData, .setSmallData, .setTitle]
    case .constraints: [.addPerson, .addPerson, .addPerson, .setTitle, .deleteAny]
    case .manySmallSaves: [.addPair, .addPair, .addPair, .setPair, .deletePair]
    case .fewLargeSaves:
      [
        .addPair, .addPair, .addPair, .setPair, .setPair, .deletePair, .addMany, .addMany, .setMany,
        .setMany,
        .deleteMany,
      ]
    case .contributions: [.contribute, .contribute, .contribute, .setTitle]
    case .staleEdits:
      [
        .addNote, .setTitle, .setTitle, .setTitle, .setBody, .setBody, .setBody, .setCount,
        .setCount,
      ]
    case .boards:
      [
        .addBoard, .addTag, .addCard, .addCard, .moveCard, .moveCard, .moveCard, .arrangeCards,
        .arrangeCards,
        .markCard, .markCard, .markCard, .markCard, .nameCard, .nameCard, .deleteAny,
      ]
    case .versions:
      [
        .addNote, .addNote, .addNote, .addProject, .setTitle, .setTitle, .setBody, .setRating,
        .setRating, .setProject,
        .setProject, .deleteAny,
      ]
    case .lockers:
      [
        .addLocker, .addMember, .addMember, .giveLocker, .giveLocker, .giveLocker, .giveLocker,
        .giveLocker, .setTitle,
        .deleteAny,
      ]
    case .cascades:
      [
        .addAlbum, .addPhoto, .addPhoto, .addComment, .addComment, .addShelf, .addVolume,
        .addVolume, .movePhoto,
        .movePhoto, .moveVolume, .setTitle, .deleteOwner, .deleteAny,
      ]
    case .kinds:
      [
        .addHome, .addTag, .addAnimal, .addAnimal, .addAnimal, .setHome, .setHome, .markAnimal,
        .markAnimal, .setBreed,
        .countAnimal, .setTitle, .deleteAny,
      ]
    case .secrets:
      [.addNote, .addNote, .setSecret, .setSecret, .setSecret, .setTitle, .setCount, .deleteAny]
    case .readers:
      [
        .addNote, .addNote, .addFolder, .addAlbum, .addAlbum, .addPhoto, .addPhoto, .setTitle,
        .setTitle, .setBody,
        .setCount, .setFolder, .setFolder, .movePhoto, .deleteOwner, .deleteAny,
      ]
    case .drafts:
      [
        .addNote, .addFolder, .addDraft, .addDraft, .addDraft, .publish, .publish, .withdraw,
        .setFolder, .setTitle,
        .setTitle, .setTitle, .deleteAny,
      ]
    case .sharing:
      [
        .addFolder, .addTag, .fileNote, .fileNote, .fileNote, .setFolder, .setFolder, .setFolder,
        .setTitle, .setTitle, .setTitle, .setBody, .setBody, .setCount, .toggleTag, .toggleTag,
        .deleteAny,
      ]
    }
  }

  /// The entities that the workload needs.
  var entities: [String] {
    switch self {
    case .addDelete, .storeComesBack, .concurrentEdits, .largeValues, .manySmallSaves,
      .fewLargeSaves, .staleEdits,
      .versions, .secrets, .visitors, .purges:
      ["Note"]
    case .relations, .sharing: ["Folder", "Note", "Tag"]
    case .constraints: ["Letter", "Person"]
    case .contributions: ["Contribution"]
    case .boards: ["Board", "Card", "Tag"]
    case .lockers: ["Locker", "Member"]
    case .cascades: ["Album", "Comment", "Photo", "Shelf", "Volume"]
    case .kinds: ["Animal", "Cat", "Dog", "Home", "Puppy", "Tag"]
    case .readers: ["Album", "Folder", "Note", "Photo"]
    case .drafts: ["Draft", "Folder", "Note"]
    }
  }

  /// Whether imports can lead to changes that are exported in turn.
  var hasConsequences: Bool {
    [
      .relations, .constraints, .boards, .lockers, .cascades, .kinds, .readers, .drafts, .sharing,
    ].contains(self)
  }
  /// Whether the changes of one save must become visible together.
  var savesTogether: Bool { self == .manySmallSaves || self == .fewLargeSaves }
  /// Whether a save may exceed one request.
  var savesMany: Bool { self == .fewLargeSaves }
  /// Whether devices usually export before they import.
  var exportsBeforeImports: Bool { self == .staleEdits || self == .boards || self == .lockers }
  /// Whether devices have different model versions, and the schema is deployed during the run.
  var changesModel: Bool { self == .versions }
  /// The environment of the devices' data.
  var environment: CloudEnvironment { changesModel ? .production : .development }
  /// Whether the zone is sometimes deleted, and devices may remove their data.
  var purges: Bool { self == .purges }
  /// Whether the bodies of notes are encrypted.
  var encrypts: Bool { self == .secrets }
  /// Whether another account uses the devices for a while.
  var changesAccounts: Bool { self == .visitors }
  /// Whether devices have a local store in addition to the mirrored one.
  var keepsDrafts: Bool { self == .drafts }
  /// Whether several users share a public database.
  var isPublic: Bool { self == .readers }
  /// The users with devices.
  var accounts: [String] {
    if shares { return [World.user, GuestUser.user, "carl"] }
    return isPublic ? [World.user, GuestUser.user] : [World.user]
  }
  /// Whether users share objects.
  var shares: Bool { self == .sharing }
  /// The number of devices in a world.
  var deviceCount: Int { shares ? 4 : 3 }
  /// The number of steps of a world.
  var stepCount: Int { shares ? 100 : 60 }
  /// The mirrored stores of a device: their databases and files.
  var scopes: [(CKDatabase.Scope, file: String)] {
    if shares { return [(.private, "store.sqlite"), (.shared, "shared.sqlite")] }
    return [(isPublic ? .public : .private, "store.sqlite")]
  }
  /// Whether devices lose their stores.
  var losesStores: Bool { self == .storeComesBack }
  /// Whether duplicates merge.
  var mergesObjects: Bool { self == .constraints }
}
