import CloudWire
import JSONCoding
import RecordServer

/// The schemas of answers, in a notation that resembles the answers.
///
/// A line names a schema and its members with their types: `string`, `integer`, `boolean` or `any`,
/// a schema, a `[list]` or a `{dictionary}` of one of these. A question mark follows an optional
/// member. `Failure` in a schema means the members that an item has instead if it failed.
enum AnswerSchema {
  private static let lines = """
    ZoneID: zoneName string, ownerRecordName string, zoneType string
    Zone: zoneID ZoneID, syncToken? string, atomic? boolean, deleted? boolean, share? Name, Failure
    Zones: zones [Zone]
    ZoneChanges: zones [Zone], syncToken string, moreComing boolean
    OlderZoneChanges: zones [Zone], syncToken string, metaSyncToken string, moreComing boolean
    Stamp: timestamp integer, userRecordName string, deviceID string
    Field: value any, type string, isEncrypted? boolean
    Name: recordName string, zoneID? ZoneID
    LookupInfo: emailAddress? string, phoneNumber? string, userRecordName? string
    NameComponents: namePrefix? string, givenName? string, middleName? string, familyName? string, nameSuffix? string, nickname? string
    Identity: userRecordName? string, nameComponents? NameComponents, lookupInfo? LookupInfo
    Participant: participantId string, userIdentity Identity, type string, permission string, acceptanceStatus string, \
    isApprovedRequester? boolean, oneTimeShortGUID? string, dateAddedToShare? integer, \
    joinProof? string
    Person: userIdentity Identity
    Record: recordName string, recordType? string, fields? {Field}, pluginFields? {any}, recordChangeTag? string, created? Stamp, \
    modified? Stamp, deleted? boolean, zoneID? ZoneID, parent? Name, share? Name, shortGUID? string, publicPermission? string, \
    participants? [Participant], owner? Participant, currentUserParticipant? Participant, shareURL? string, \
    denyAccessRequests? boolean, requesters? [Person], blocked? [Person], Failure
    Records: records [Record], syncToken? string
    RecordPage: records [Record], continuationMarker? string, syncToken? string
    RecordChanges: records [Record], syncToken string, moreComing boolean, reverse? boolean
    ZonePage: zoneID ZoneID, records? [Record], syncToken? string, moreComing? boolean, Failure
    ZonePages: zones [ZonePage]
    ShortName: value string, shouldFetchRootRecord boolean
    PotentialMatch: participantId string, contactInformation? string
    Share: shortGUID ShortName, containerIdentifier? string, environment? string, databaseScope? string, zoneID? ZoneID, share? Record, \
    rootRecordName? string, rootRecord? Record, ownerIdentity? Identity, participantType? string, participantStatus? string, \
    participantPermission? string, potentialMatchList? [PotentialMatch], webpageURL? string, Failure
    Shares: results [Share]
    NotificationInfo: alertBody? string, alertLocalizationKey? string, alertLocalizationArgs? [string], title? string, \
    titleLocalizationKey? string, titleLocalizationArgs? [string], subtitle? string, subtitleLocalizationKey? string, \
    subtitleLocalizationArgs? [string], alertActionLocalizationKey? string, alertLaunchImage? string, soundName? string, \
    category? string, shouldBadge boolean, shouldSendContentAvailable boolean, shouldSendMutableContent? boolean, \
    additionalFields? [string], collapseIDKey? string
    Subscription: subscriptionID string, subscriptionType? string, query? any, zoneID? ZoneID, zoneWide? boolean, firesOn? [string], \
    firesOnce? boolean, notificationInfo? NotificationInfo, deleted? boolean, Failure
    Subscriptions: subscriptions [Subscription]
    Users: users [Identity]
    Caller: users [Identity], userRecordName? string, nameComponents? NameComponents, lookupInfo? LookupInfo
    PlainUser: userRecordName? string, firstName? string, lastName? string, emailAddress? string
    PlainUsers: users [PlainUser]
    Asset: recordName? string, fileChecksum? string, size? integer, referenceChecksum? string, wrappingKey? string, receipt? string, \
    downloadURL? string, Failure
    Assets: assets [Asset]
    Upload: recordName string, fieldName string, url string
    Uploads: tokens [Upload]
    UploadedFile: singleFile Asset
    KeyBag: bagType string, zoneID? ZoneID, shareName? string, userRecordName? string, generation? integer, modified? integer, \
    data? string, now? integer, reset? boolean, Failure
    KeyBags: bags [KeyBag]
    PushToken: apnsEnvironment string, apnsToken string, webcourierURL string, streamURL? string
    Notification: aps {any}, ck {any}
    Nothing:
    State: status string
    Container: container string, environment string
    Containers: containers [Container]
    Account: name string, created integer, disabled? integer, hasProvenAddress boolean, isDiscoverable boolean, givenName? string, \
    familyName? string, userRecordName? string
    Accounts: users [Account]
    OneAccount: user Account
    Invitation: invitation string, expires integer
    RoleHolder: name? string, userRecordName string, roles [string]
    RoleHolders: roles [string], users [RoleHolder]
    OneRoleHolder: user RoleHolder
    Session: identifier string, container string, environment string, started integer, isKept boolean
    Sessions: sessions [Session]
    Usage: userRecordName? string, name? string, zones integer, records integer, files integer, bytes integer
    Usages: databases [Usage]
    Issues: issues [string]
    Backup: path string, files integer, removed integer, issues [string]
    Token: identifier string, container string, environment string, label string, origins [string], callback? string, created integer, \
    expires? integer, revoked? integer
    Tokens: tokens [Token]
    NewToken: apiToken string, token Token
    Key: identifier string, container string, environment string, label string, created integer, expires? integer, revoked? integer
    Keys: keys [Key]
    NewKey: key Key
    AdministratorKey: administratorKey string
    Schema: schema string
    Difference: difference string
    Replacement: difference string, erasedTypes [string], erasedFields [string]
    """

  /// The schemas by name, in the form of OpenAPI.
  static var all: [JSONValue.Member] {
    lines.split(separator: "\n").map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      let members =
        parts.count == 2 ? parts[1].split(separator: ",").map { $0.split(separator: " ") } : []
      return JSONValue.Member(String(parts[0]), form(of: members))
    }
  }

  static func reference(to name: String) -> JSONValue {
    .members(["$ref": .string("#/components/schemas/\(name)")])
  }

  // MARK: Forms

  private static let failure = [
    "serverErrorCode? string", "reason? string", "extensionErrorCode? string",
    "retryAfter? integer",
    "redirectURL? string",
  ]

  private static func form(of lines: [[Substring]]) -> JSONValue {
    let members = lines.flatMap {
      $0 == ["Failure"] ? failure.map { $0.split(separator: " ") } : [$0]
    }
    let required = members.map { $0[0] }.filter { !$0.hasSuffix("?") }
    let properties = members.map { member in
      JSONValue.Member(String(member[0].filter { $0 != "?" }), type(String(member[1])))
    }
    return .members([
      "type": .string("object"), "required": .array(required.map { .string(String($0)) }),
      "properties": .object(properties),
    ])
  }

  private static func type(_ text: String) -> JSONValue {
    let inner = String(text.dropFirst().dropLast())
    switch text.first {
    case "[": return .members(["type": .string("array"), "items": type(inner)])
    case "{": return .members(["type": .string("object"), "additionalProperties": type(inner)])
    case _ where text == "any": return .members([:])
    case let first? where first.isUppercase: return reference(to: text)
    default: return .members(["type": .string(text)])
    }
  }
}

extension Route {
  /// The schema of a successful answer, or nil if the answer is not JSON.
  var answerForm: String? {
    switch self {
    case .database(let route): route.endpoint.answerForm
    case .pushToken(_, let isNew): isNew ? "PushToken" : "Nothing"
    case .push(.wait): "Notification"
    case .file(.upload): "UploadedFile"
    case .health, .readiness: "State"
    case .administration(let operation): operation.answerForm
    case .push(.stream), .file(.download), .page, .invitation, .welcome, .metrics, .openAPI: nil
    }
  }
}

extension Endpoint {
  fileprivate var answerForm: String {
    switch self {
    case .recordsQuery: "RecordPage"
    case .recordsModify, .recordsLookup: "Records"
    case .recordsChanges: "RecordChanges"
    case .recordsResolve, .recordsAccept, .recordsRequestAccess: "Shares"
    case .zonesList, .zonesLookup, .zonesModify: "Zones"
    case .zonesChanges: "OlderZoneChanges"
    case .changesDatabase: "ZoneChanges"
    case .changesZone: "ZonePages"
    case .subscriptionsList, .subscriptionsLookup, .subscriptionsModify: "Subscriptions"
    case .usersCaller: "Caller"
    case .usersDiscover: "Users"
    case .usersCurrent: "PlainUser"
    case .usersLookupEmail, .usersLookupIdentifier, .usersLookupContacts: "PlainUsers"
    case .assetsUpload: "Uploads"
    case .assetsRereference: "Assets"
    case .keyBagsLookup, .keyBagsModify: "KeyBags"
    }
  }
}

extension AdministrationOperation {
  fileprivate var answerForm: String {
    switch self {
    case .containersList: "Containers"
    case .usersList: "Accounts"
    case .usersAdd, .usersPassword, .usersDisable, .usersEnable, .usersVerify, .usersDiscoverable,
      .usersHidden:
      "OneAccount"
    case .usersInvite: "Invitation"
    case .usersRemove, .tokensRevoke, .keysRevoke, .keysRenew: "Nothing"
    case .rolesList: "RoleHolders"
    case .rolesGrant, .rolesRevoke: "OneRoleHolder"
    case .sessionsList, .sessionsEnd: "Sessions"
    case .usageList: "Usages"
    case .storageCheck: "Issues"
    case .backupsCreate: "Backup"
    case .tokensList: "Tokens"
    case .tokensCreate: "NewToken"
    case .keysList: "Keys"
    case .keysAdd: "NewKey"
    case .keysAdministrator: "AdministratorKey"
    case .schemaExport: "Schema"
    case .schemaImport, .schemaReset: "Replacement"
    case .schemaDiff, .schemaDeploy: "Difference"
    }
  }
}
