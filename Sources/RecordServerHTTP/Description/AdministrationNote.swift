import RecordServer

/// The OpenAPI description of an operation of administrators.
struct AdministrationNote {
  let summary: String
  /// An example of a request's body.
  let example: String

  private init(_ summary: String, _ example: String = "{}") {
    self.summary = summary
    self.example = example
  }

  init(of operation: AdministrationOperation) {
    let container = #"{"container": "iCloud.com.example.notes", "environment": "development"}"#
    self =
      switch operation {
      case .containersList: .init("List the containers.")
      case .usersList: .init("List the accounts, with their names in a container.", container)
      case .usersAdd:
        .init(
          "Make an account.", #"{"name": "grace@example.com", "password": "correct horse battery"}"#
        )
      case .usersPassword:
        .init(
          "Set another password, and sign the person out.",
          #"{"name": "grace@example.com", "password": "staple battery horse"}"#)
      case .usersDisable: .init("Shut an account.", #"{"name": "grace@example.com"}"#)
      case .usersEnable: .init("Open an account that was shut.", #"{"name": "grace@example.com"}"#)
      case .usersVerify:
        .init("Say that the e-mail address is the person's.", #"{"name": "grace@example.com"}"#)
      case .usersDiscoverable: .init("Let others find a person.", #"{"name": "grace@example.com"}"#)
      case .usersHidden: .init("Let nobody find a person.", #"{"name": "grace@example.com"}"#)
      case .usersRemove: .init("Remove an account.", #"{"name": "grace@example.com"}"#)
      case .usersInvite: .init("Make an invitation code, by which one person may make an account.")
      case .rolesList: .init("List the roles of a schema, and who has some.", container)
      case .rolesGrant:
        .init(
          "Give a person, or a program's key by its identifier, a role of the schema.",
          #"{"name": "grace@example.com", "role": "Librarian", "container": "iCloud.com.example.notes"}"#
        )
      case .rolesRevoke:
        .init(
          "Take a role from somebody.",
          #"{"name": "grace@example.com", "role": "Librarian", "container": "iCloud.com.example.notes"}"#
        )
      case .sessionsList: .init("List the sessions of a person.", #"{"name": "grace@example.com"}"#)
      case .sessionsEnd:
        .init(
          "End a session of a person by its identifier, or all of them.",
          #"{"name": "grace@example.com"}"#)
      case .tokensList: .init("List the API tokens, without what they are.")
      case .tokensCreate:
        .init(
          "Make an API token.",
          #"{"container": "iCloud.com.example.notes", "label": "Notes", "origins": []}"#)
      case .tokensRevoke: .init("Revoke an API token.", #"{"identifier": "529ee9ae5f9c5638"}"#)
      case .keysList: .init("List the keys of servers.")
      case .keysAdd:
        .init(
          "Register the public half of a server's key.",
          #"{"container": "iCloud.com.example.notes", "publicKey": "-----BEGIN PUBLIC KEY-----…"}"#)
      case .keysRevoke: .init("Revoke the key of a server.", #"{"identifier": "529ee9ae5f9c5638"}"#)
      case .keysRenew: .init("Make the server's own secrets anew.", #"{"atOnce": false}"#)
      case .keysAdministrator:
        .init("Make another administrators' key; this one is no good any more.")
      case .schemaExport: .init("Fetch the schema of a container.", container)
      case .schemaImport:
        .init(
          "Put a schema in the place of development's.",
          #"{"container": "iCloud.com.example.notes", "schema": "DEFINE SCHEMA", "erase": true, "dryRun": true}"#
        )
      case .schemaDiff: .init("Tell how development's schema differs from production's.", container)
      case .schemaDeploy:
        .init(
          "Give production the schema of development.",
          #"{"container": "iCloud.com.example.notes", "dryRun": false, "revokePermissions": false}"#
        )
      case .usageList: .init("Tell what the databases of a container hold.", container)
      case .storageCheck:
        .init("Look for damage in all that the server keeps.", #"{"thorough": false}"#)
      case .backupsCreate:
        .init(
          "Copy all that the server keeps, into a folder below the one that it was started with.",
          #"{"name": "2026-01-31", "prune": false, "thorough": false}"#)
      case .schemaReset:
        .init(
          "Give development the schema of production, and erase its records.",
          #"{"container": "iCloud.com.example.notes", "erase": true}"#)
      }
  }
}
