import ClientTestSupport
import CloudKitClient
import Foundation
import TestSupport
import Testing

@Suite("The environment and configuration files")
struct FoundConfigurationsTests {
  private static let path = "/etc/notes/cloud.json"

  /// The configurations of an environment and a file.
  private func find(_ environment: [String: String], _ file: String?) throws -> FoundConfigurations
  {
    try FoundConfigurations(environment, file: file.map { (Self.path, Array($0.utf8)) }) {
      path throws(CKError) in
      "text of \(path)"
    }
  }

  /// The configurations as text, the default one with a star.
  private func text(_ found: FoundConfigurations) -> [String] {
    found.configurations.map { configuration in
      let star = configuration.containerIdentifier == found.defaultIdentifier ? "*" : ""
      let credentials: String =
        switch configuration.credentials {
        case .none: "-"
        case .program(let token): token
        case .user(let token, let user): "\(token)/\(user)"
        case .developmentUser(let word): "as \(word)"
        case .serverKey(let name, let key): "\(name)=\(key)"
        }
      var parts = [
        star + configuration.containerIdentifier, "\(configuration.server)",
        configuration.environment.rawValue,
        credentials,
      ]
      if let file = configuration.connection.certificateAuthority {
        parts.append("ca=\(file.path)")
      }
      if let proxy = configuration.connection.proxy { parts.append("proxy=\(proxy)") }
      if !configuration.connection.proxyExceptions.isEmpty {
        parts.append("but=\(configuration.connection.proxyExceptions.joined(separator: "+"))")
      }
      if let shown = configuration.connection.clientCertificate {
        parts.append("shows=\(shown.certificate.path)+\(shown.privateKey.path)")
      }
      if configuration.encryptedValues == .server { parts.append("open") }
      if configuration.connection.allowsPlainHTTP { parts.append("plain") }
      if case .folder(let url) = configuration.accountStorage {
        parts.append("accounts=\(url.path)")
      }
      return parts.joined(separator: " ")
    }
  }

  private static let one = [
    "PARHELION_CONTAINER": "iCloud.a", "PARHELION_SERVER": "https://a.example",
  ]
  private static let two = #"""
    {"containers": [
      {"container": "iCloud.a", "server": "https://file.example", "apiToken": "fileToken"},
      {"container": "iCloud.b", "server": "http://127.0.0.1:8080/", "environment": "production"}
    ]}
    """#

  @Test(
    arguments: [
      ([:], nil, []),
      (one, nil, ["*iCloud.a https://a.example development -"]),
      (["PARHELION_CONTAINER": "", "PARHELION_PROXY": ""], nil, []),
      (
        one.merging(["PARHELION_ENVIRONMENT": "production", "PARHELION_API_TOKEN": "t"]) { $1 },
        nil,
        ["*iCloud.a https://a.example production t"]
      ),
      (
        one.merging(["PARHELION_API_TOKEN": "t", "PARHELION_WEB_AUTH_TOKEN": "u"]) { $1 }, nil,
        ["*iCloud.a https://a.example development t/u"]
      ),
      (
        one.merging(["PARHELION_DEVELOPMENT_USER": "ada"]) { $1 }, nil,
        ["*iCloud.a https://a.example development as ada"]
      ),
      (
        one.merging(["PARHELION_KEY_ID": "k", "PARHELION_KEY_FILE": "key.pem"]) { $1 }, nil,
        ["*iCloud.a https://a.example development k=text of key.pem"]
      ),
      (
        one.merging([
          "PARHELION_CERTIFICATE_AUTHORITY": "/ca.pem", "PARHELION_PROXY": "socks5h://p:1",
          "PARHELION_ACCOUNT_FOLDER": "/f",
        ]) { $1 }, nil,
        ["*iCloud.a https://a.example development - ca=/ca.pem proxy=socks5h://p:1 accounts=/f"]
      ),
      (
        one.merging([
          "PARHELION_PROXY": "http://p:1", "PARHELION_PROXY_EXCEPTIONS": "localhost, a.example",
          "PARHELION_CLIENT_CERTIFICATE": "/me.pem", "PARHELION_CLIENT_KEY": "/key.pem",
          "PARHELION_ENCRYPTED_VALUES": "server", "PARHELION_PLAIN_HTTP": "allowed",
        ]) { $1 }, nil,
        [
          "*iCloud.a https://a.example development - proxy=http://p:1 but=localhost+a.example shows=/me.pem+/key.pem open plain"
        ]
      ),
      // With only a file, its first container is the default, unless the file names another.
      (
        [:], two,
        [
          "*iCloud.a https://file.example development fileToken",
          "iCloud.b http://127.0.0.1:8080/ production -",
        ]
      ),
      (
        [:], two.replacing("{\"containers\"", with: #"{"default": "iCloud.b", "containers""#),
        [
          "iCloud.a https://file.example development fileToken",
          "*iCloud.b http://127.0.0.1:8080/ production -",
        ]
      ),
      // The environment replaces the file's container entirely, so its server never gets the file's
      // token.
      (
        one, two,
        [
          "*iCloud.a https://a.example development -",
          "iCloud.b http://127.0.0.1:8080/ production -",
        ]
      ),
      // Paths in a file are relative to its folder.
      (
        [:],
        #"{"containers": [{"container": "c", "server": "https://a.example", "keyID": "k", "keyFile": "key.pem", "certificateAuthority": "/ca.pem", "accountFolder": "accounts"}]}"#,
        [
          "*c https://a.example development k=text of /etc/notes/key.pem ca=/ca.pem accounts=/etc/notes/accounts"
        ]
      ),
      ([:], #"{"containers": []}"#, []),
    ] as [([String: String], String?, [String])])
  func `The environment and a configuration file define the containers`(
    _ environment: [String: String], _ file: String?, _ expected: [String]
  ) throws {
    #expect(try text(find(environment, file)) == expected)
  }

  @Test(
    arguments: [
      (["PARHELION_CONTAINER": "iCloud.a"], nil, ["PARHELION_SERVER is missing"]),
      (["PARHELION_SERVER": "https://a.example"], nil, ["PARHELION_CONTAINER is missing"]),
      // Secrets of the environment are never sent to a server that a file names.
      (["PARHELION_API_TOKEN": "t"], two, ["PARHELION_CONTAINER is missing"]),
      (
        one.merging(["PARHELION_SERVER": "ftp://a"]) { $1 }, nil,
        ["PARHELION_SERVER “ftp://a” is not the URL of a server", "https://"]
      ),
      (one.merging(["PARHELION_SERVER": "https://a/path"]) { $1 }, nil, ["PARHELION_SERVER"]),
      (one.merging(["PARHELION_SERVER": "https://u:p@a"]) { $1 }, nil, ["PARHELION_SERVER"]),
      (one.merging(["PARHELION_SERVER": "a.example"]) { $1 }, nil, ["PARHELION_SERVER"]),
      (
        one.merging(["PARHELION_CONTAINER": "i cloud"]) { $1 }, nil,
        ["PARHELION_CONTAINER “i cloud” has characters"]
      ),
      (
        one.merging(["PARHELION_ENVIRONMENT": "test"]) { $1 }, nil,
        ["PARHELION_ENVIRONMENT “test”", "development"]
      ),
      (
        one.merging(["PARHELION_PROXY": "proxy"]) { $1 }, nil,
        ["PARHELION_PROXY “proxy” is not the URL of a proxy"]
      ),
      (
        one.merging(["PARHELION_PROXY_EXCEPTIONS": "a"]) { $1 }, nil, ["PARHELION_PROXY is missing"]
      ),
      (
        one.merging(["PARHELION_PROXY": "http://p", "PARHELION_PROXY_EXCEPTIONS": "a b,c"]) { $1 },
        nil,
        ["PARHELION_PROXY_EXCEPTIONS “a b,c” is not a list of hosts"]
      ),
      (
        one.merging(["PARHELION_CLIENT_KEY": "k"]) { $1 }, nil,
        ["PARHELION_CLIENT_CERTIFICATE is missing"]
      ),
      (
        one.merging(["PARHELION_CLIENT_CERTIFICATE": "k"]) { $1 }, nil,
        ["PARHELION_CLIENT_KEY is missing"]
      ),
      (
        one.merging(["PARHELION_ENCRYPTED_VALUES": "nobody"]) { $1 }, nil,
        ["PARHELION_ENCRYPTED_VALUES “nobody” is not a valid value", "device"]
      ),
      (
        one.merging(["PARHELION_PLAIN_HTTP": "yes"]) { $1 }, nil,
        ["PARHELION_PLAIN_HTTP “yes” is not “allowed”"]
      ),
      (one.merging(["PARHELION_KEY_ID": "k"]) { $1 }, nil, ["PARHELION_KEY_FILE is missing"]),
      (one.merging(["PARHELION_KEY_FILE": "k"]) { $1 }, nil, ["PARHELION_KEY_ID is missing"]),
      (
        one.merging(["PARHELION_WEB_AUTH_TOKEN": "u"]) { $1 }, nil,
        ["PARHELION_API_TOKEN is missing"]
      ),
      (
        one.merging([
          "PARHELION_KEY_ID": "k", "PARHELION_KEY_FILE": "f", "PARHELION_API_TOKEN": "t",
        ]) { $1 }, nil,
        ["PARHELION_API_TOKEN cannot be combined with PARHELION_KEY_ID"]
      ),
      ([:], "", [path, "ends too early"]),
      ([:], "{}", [path, "“containers” is missing"]),
      ([:], #"{"containers": {}}"#, [path, "expected an array", "containers"]),
      ([:], #"{"containers": [], "defaults": "a"}"#, [path, "unknown", "“default”"]),
      ([:], #"{"containers": [{"container": "c"}]}"#, [path, "containers[0] has no “server”"]),
      (
        [:], #"{"containers": [{"container": "c", "servr": "x"}]}"#,
        [path, "unknown", "containers[0].servr"]
      ),
      (
        [:], #"{"containers": [{"container": "c", "server": 1}]}"#,
        [path, "expected a string", "containers[0].server"]
      ),
      (
        [:], #"{"containers": [{"container": "c", "server": ""}]}"#,
        [path, "empty", "containers[0].server"]
      ),
      (
        [:], #"{"containers": [{"container": "c", "server": "x"}]}"#,
        [path, "containers[0].server “x” is not the URL"]
      ),
      (
        [:], #"{"containers": [{"container": "c", "container": "d"}]}"#,
        [path, "twice", "containers[0].container"]
      ),
      (
        [:], #"{"containers": [{"container": "c", "webAuthToken": "x"}]}"#,
        [path, "PARHELION_WEB_AUTH_TOKEN"]
      ),
      (
        [:],
        #"{"containers": [{"container": "c", "server": "https://a"}, {"container": "c", "server": "https://b"}]}"#,
        [path, "the container c twice"]
      ),
      ([:], #"{"default": "d", "containers": []}"#, [path, "default container “d”"]),
      ([:], #"{"containers": []} x"#, [path]),
    ] as [([String: String], String?, [String])])
  func `Mistakes are reported with their place and a remedy`(
    _ environment: [String: String], _ file: String?, _ parts: [String]
  ) throws {
    let error = try #require(#expect(throws: CKError.self) { try find(environment, file) })
    #expect(error.code == .badContainer)
    for part in parts {
      #expect(error.localizedDescription.contains(part), "\(error.localizedDescription)")
    }
  }

  @Test(
    arguments: [
      ([:], "/home/ada/.config/parhelion/cloud.json"),
      (["XDG_CONFIG_HOME": "/conf"], "/conf/parhelion/cloud.json"),
      (["XDG_CONFIG_HOME": "conf"], "/home/ada/.config/parhelion/cloud.json"),
      (["PARHELION_CONFIGURATION": "/a.json", "XDG_CONFIG_HOME": "/conf"], "!/a.json"),
      (["PARHELION_CONFIGURATION": "parhelion.json"], "!/now/parhelion.json"),
      (["PARHELION_CONFIGURATION": ""], "/home/ada/.config/parhelion/cloud.json"),
    ] as [([String: String], String)])
  func `Files of the working folder are read only if the environment names them`(
    _ environment: [String: String], _ expected: String
  ) {
    let place = FoundConfigurations.place(environment, workingFolder: "/now", home: "/home/ada")
    #expect((place.isNamed ? "!" : "") + place.path == expected)
  }

  @Test(arguments: [
    (0o600, true), (0o644, true), (0o444, true), (0o664, false), (0o646, false), (0o666, false),
  ])
  func `A file that other users can change is rejected`(mode: Int, isAccepted: Bool) throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("cloud.json")
      try Data(Self.two.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
      let link = folder.appendingPathComponent("link.json")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      for place in [file, link] {
        if isAccepted {
          #expect(try CKContainer.Configuration.read(fromFile: place).count == 2)
        } else {
          let error = #expect(throws: CKError.self) {
            try CKContainer.Configuration.read(fromFile: place)
          }
          #expect(
            error?.code == .badContainer
              && error?.localizedDescription.contains("chmod go-w") == true)
        }
      }
    }
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a file to another user"))
  func `A file that belongs to another user is rejected`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("cloud.json")
      try Data(Self.two.utf8).write(to: file)
      guard unsafe chown(file.path, 1, 1) == 0 else { return }
      let error = #expect(throws: CKError.self) {
        try CKContainer.Configuration.read(fromFile: file)
      }
      #expect(error?.localizedDescription.contains("belongs to the user with the ID 1") == true)
    }
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:8080", true), ("http://127.9.9.9", true), ("http://localhost:80", true),
      ("http://LOCALHOST", true), ("http://a.localhost", true), ("http://[::1]:8080", true),
      ("https://cloud.example", true), ("http://cloud.example", false), ("http://10.0.0.1", false),
      ("http://127.0.0.1.example", false), ("http://127.0.0", false),
      ("http://notlocalhost", false),
      ("HTTP://cloud.example", false), ("http://[::2]", false),
    ])
  func `A remote server needs TLS unless plain HTTP is allowed`(server: String, isAccepted: Bool)
    throws
  {
    var configuration = CKContainer.Configuration(
      containerIdentifier: "iCloud.a", server: webAddress(server), accountStorage: .memory)
    if isAccepted {
      #expect(throws: Never.self) { try ContainerBinding(configuration).session() }
    } else {
      let error = #expect(throws: CKError.self) { try ContainerBinding(configuration).session() }
      #expect(
        error?.code == .badContainer
          && error?.localizedDescription.contains("PARHELION_PLAIN_HTTP") == true)
      configuration.connection.allowsPlainHTTP = true
      #expect(throws: Never.self) { try ContainerBinding(configuration).session() }
    }
  }

  @Test func `A file is read with the files it names, the default container first`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("cloud.json")
      let text = #"""
        {"default": "two", "containers": [
          {"container": "one", "server": "https://a.example"},
          {"container": "two", "server": "https://b.example", "keyID": "k", "keyFile": "key.pem"}]}
        """#
      try Data(text.utf8).write(to: file)
      let missing = #expect(throws: CKError.self) {
        try CKContainer.Configuration.read(fromFile: file)
      }
      #expect(missing?.localizedDescription.contains(folder.path + "/key.pem") == true)
      try Data("PEM".utf8).write(to: folder.appendingPathComponent("key.pem"))
      let read = try CKContainer.Configuration.read(fromFile: file)
      #expect(read.map(\.containerIdentifier) == ["two", "one"])
      guard case .serverKey("k", "PEM") = read[0].credentials else {
        Issue.record("\(read[0].credentials)")
        return
      }
      let none = folder.appendingPathComponent("none.json")
      #expect(throws: CKError.self) { try CKContainer.Configuration.read(fromFile: none) }
    }
  }
}

@Suite("Containers of a program")
struct ContainerRegistryTests {
  private static func configuration(_ name: String, _ server: String) -> CKContainer.Configuration {
    CKContainer.Configuration(
      containerIdentifier: name, server: webAddress(server), accountStorage: .memory)
  }

  private func server(_ registry: ContainerRegistry, _ name: String?) throws -> String {
    try registry.binding(of: name).configuration.server.absoluteString
  }

  @Test func `The program's containers replace those that were found`() throws {
    let registry = ContainerRegistry { () throws(CKError) in
      var found = FoundConfigurations()
      found.configurations = ["a", "b"].map { Self.configuration($0, "https://found.example") }
      found.defaultIdentifier = "b"
      return found
    }
    #expect(registry.defaultIdentifier == "b")
    #expect(try registry.binding(of: nil).configuration.containerIdentifier == "b")
    registry.bind(Self.configuration("a", "https://code.example"))
    #expect(registry.defaultIdentifier == "a")
    #expect(try server(registry, "a") == "https://code.example")
    #expect(try server(registry, nil) == "https://code.example")
    #expect(try server(registry, "b") == "https://found.example")
    #expect(try registry.binding(of: "b") === registry.binding(of: "b"))
    let error = #expect(throws: CKError.self) { try registry.binding(of: "c") }
    #expect(error?.code == .missingEntitlement)
    #expect(error?.localizedDescription.contains("PARHELION_CONTAINER") == true)
  }

  @Test func `A mistake in the file is reported on use until it is fixed`() throws {
    let isFixed = Flag()
    let registry = ContainerRegistry { () throws(CKError) in
      guard isFixed.isSet else { throw CKError(.badContainer, "A mistake.") }
      var found = FoundConfigurations()
      found.configurations = [Self.configuration("a", "https://found.example")]
      found.defaultIdentifier = "a"
      return found
    }
    registry.bind(Self.configuration("code", "https://code.example"))
    #expect(try server(registry, "code") == "https://code.example")
    #expect(throws: CKError(.badContainer, "A mistake.")) { try registry.binding(of: "a") }
    isFixed.set()
    #expect(try server(registry, "a") == "https://found.example")
  }

  @Test func `The default container without an identifier keeps its binding`() throws {
    let registry = ContainerRegistry { () throws(CKError) in
      var found = FoundConfigurations()
      found.configurations = [Self.configuration("a", "https://found.example")]
      found.defaultIdentifier = "a"
      return found
    }
    let binding = try registry.binding(of: nil)
    #expect(try registry.binding(of: nil) === binding)
    #expect(try registry.binding(of: "a") === binding)
  }
}
