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
          "Create an account.",
          #"{"name": "grace@example.com", "password": "correct horse battery"}"#
        )
      case .usersPassword:
        .init(
          "Set a new password, and end the user's sessions.",
          #"{"name": "grace@example.com", "password": "staple battery horse"}"#)
      case .usersDisable: .init("Disable an account.", #"{"name": "grace@example.com"}"#)
      case .usersEnable: .init("Enable a disabled account.", #"{"name": "grace@example.com"}"#)
      case .usersVerify:
        .init("Confirm the e-mail address of a user.", #"{"name": "grace@example.com"}"#)
      case .usersDiscoverable: .init("Make a user discoverable.", #"{"name": "grace@example.com"}"#)
      case .usersHidden: .init("Make a user undiscoverable.", #"{"name": "grace@example.com"}"#)
      case .usersRemove: .init("Remove an account.", #"{"name": "grace@example.com"}"#)
      case .usersInvite:
        .init("Create an invitation code, with which one user may create an account.")
      case .rolesList: .init("List the roles of a schema and their members.", container)
      case .rolesGrant:
        .init(
          "Give a role of the schema to a user, or to a program's key by its identifier.",
          #"{"name": "grace@example.com", "role": "Librarian", "container": "iCloud.com.example.notes"}"#
        )
      case .rolesRevoke:
        .init(
          "Revoke a role.",
          #"{"name": "grace@example.com", "role": "Librarian", "container": "iCloud.com.example.notes"}"#
        )
      case .sessionsList: .init("List the sessions of a user.", #"{"name": "grace@example.com"}"#)
      case .sessionsEnd:
        .init(
          "End a session of a user by its identifier, or all of them.",
          #"{"name": "grace@example.com"}"#)
      case .tokensList: .init("List the API tokens, without their secrets.")
      case .tokensCreate:
        .init(
          "Create an API token.",
          #"{"container": "iCloud.com.example.notes", "label": "Notes", "origins": []}"#)
      case .tokensRevoke: .init("Revoke an API token.", #"{"identifier": "529ee9ae5f9c5638"}"#)
      case .keysList: .init("List the server-to-server keys.")
      case .keysAdd:
        .init(
          "Register the public key of a server.",
          #"{"container": "iCloud.com.example.notes", "publicKey": "-----BEGIN PUBLIC KEY-----…"}"#)
      case .keysRevoke:
        .init("Revoke a server-to-server key.", #"{"identifier": "529ee9ae5f9c5638"}"#)
      case .keysRenew: .init("Renew the server's own secrets.", #"{"atOnce": false}"#)
      case .keysAdministrator:
        .init("Replace the administrators' key. The current one becomes invalid.")
      case .schemaExport: .init("Fetch the schema of a container.", container)
      case .schemaImport:
        .init(
          "Replace development's schema.",
          #"{"container": "iCloud.com.example.notes", "schema": "DEFINE SCHEMA", "erase": true, "dryRun": true}"#
        )
      case .schemaDiff: .init("Compare development's schema with production's.", container)
      case .schemaDeploy:
        .init(
          "Deploy development's schema to production.",
          #"{"container": "iCloud.com.example.notes", "dryRun": false, "revokePermissions": false}"#
        )
      case .usageList: .init("Report the contents of a container's databases.", container)
      case .storageCheck:
        .init("Check all stored data for damage.", #"{"thorough": false}"#)
      case .backupsCreate:
        .init(
          "Back up all stored data into a folder inside the configured backup folder.",
          #"{"name": "2026-01-31", "prune": false, "thorough": false}"#)
      case .schemaReset:
        .init(
          "Reset development to production's schema, and erase its records.",
          #"{"container": "iCloud.com.example.notes", "erase": true}"#)
      }
  }
}
