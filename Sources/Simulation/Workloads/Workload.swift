import CloudRecords

/// What the people of a world do.
package enum Workload: String, CaseIterable, Sendable {
  /// They add and delete.
  case addDelete
  /// They change the same objects, and now and then delete one that others change.
  case concurrentEdits
  /// They relate objects, to one and to many.
  case relations
  /// They keep values that go as files, and make them small again.
  case largeValues
  /// They make what must be there once, with something that refers to it.
  case constraints
  /// They save often, two objects at a time that belong together.
  case manySmallSaves
  /// They do the same, and now and then save many objects at once, of which some fit into one
  /// request.
  case fewLargeSaves
  /// They lose their stores, and get everything back.
  case storeComesBack
  /// They work together by contributions, each of which follows another one.
  case contributions
  /// They change the same few objects, on devices that mostly send before they have heard of
  /// others.
  case staleEdits
  /// They move cards between boards, order them and mark the same ones, mostly before they have
  /// heard of others.
  case boards
  /// Their devices have two versions of the program, and get the later one at some time; so does
  /// production's schema.
  case versions
  /// They give lockers to members, one to each.
  case lockers
  /// They delete what others belong to: these go along, or keep it from going.
  case cascades
  /// They keep animals of several kinds, which have some properties in common.
  case kinds
  /// They keep encrypted values, and reset them; one of their devices gets the keys later.
  case secrets
  /// Somebody else signs in on their devices for a while.
  case visitors
  /// They delete everything in the cloud, and their devices send it again or remove it, each as its
  /// user wants.
  case purges
  /// Two people share a public database, of whose types their makers alone may read one; each uses
  /// the other's devices for a while.
  case readers
  /// They have a second store beside the mirrored one, which nobody else ever hears of, and move
  /// what they write from one to the other.
  case drafts

  /// What they do, each as often as it stands here.
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
    }
  }

  /// The entities of the model that they need.
  var entities: [String] {
    switch self {
    case .addDelete, .storeComesBack, .concurrentEdits, .largeValues, .manySmallSaves,
      .fewLargeSaves, .staleEdits,
      .versions, .secrets, .visitors, .purges:
      ["Note"]
    case .relations: ["Folder", "Note", "Tag"]
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

  /// Whether what comes from others may lead to changes that are sent in their turn.
  var hasConsequences: Bool {
    [.relations, .constraints, .boards, .lockers, .cascades, .kinds, .readers, .drafts].contains(
      self)
  }
  /// Whether what one save made must be seen at once.
  var savesTogether: Bool { self == .manySmallSaves || self == .fewLargeSaves }
  /// Whether saves may have more than one request takes.
  var savesMany: Bool { self == .fewLargeSaves }
  /// Whether devices mostly send what they have without having asked for others' changes.
  var sendsUnheard: Bool { self == .staleEdits || self == .boards || self == .lockers }
  /// Whether devices have different versions of the model, and the server's schema is deployed at
  /// some time.
  var changesModel: Bool { self == .versions }
  /// Where the devices' data is.
  var environment: CloudEnvironment { changesModel ? .production : .development }
  /// Whether the zone is deleted now and then, and devices may remove what they have of it.
  var purges: Bool { self == .purges }
  /// Whether bodies of notes are encrypted.
  var encrypts: Bool { self == .secrets }
  /// Whether devices get another account for a while.
  var changesAccounts: Bool { self == .visitors }
  /// Whether devices have a store besides that is not mirrored.
  var keepsDrafts: Bool { self == .drafts }
  /// Whether several people share a public database.
  var isPublic: Bool { self == .readers }
  /// Those who have devices.
  var accounts: [String] { isPublic ? [World.user, GuestUser.user] : [World.user] }
  /// Whether devices lose their stores.
  var losesStores: Bool { self == .storeComesBack }
  /// Whether of two objects that must be unique one goes.
  var mergesObjects: Bool { self == .constraints }
}
