import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Testing

/// One rule of inferred migrations: two versions of a model, and rows before and after.
struct InferredRule: Sendable, CustomTestStringConvertible {
  let name: String
  let old: String
  let new: String
  /// The statement that fills the store.
  let rows: String
  let query: String
  let expected: [[Value]]

  init(
    _ name: String, _ old: String, _ new: String, _ rows: String, _ query: String,
    _ expected: [[Value]]
  ) {
    (self.name, self.old, self.new) = (name, old, new)
    (self.rows, self.query, self.expected) = (rows, query, expected)
  }

  var testDescription: String { name }

  private static let pairs = """
    INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1), (2, 1);
    INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2), (2, 2)
    """

  static let attributes = [
    InferredRule(
      "required becomes optional", "A\n  x String required default=d", "A\n  x String",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')", "SELECT ZX FROM ZA", [["a"]]),
    InferredRule(
      "a default fills missing values only if they are required", "A\n  x Integer16",
      "A\n  x Integer16 default=4",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, NULL)", "SELECT ZX FROM ZA", [[nil]]),
    InferredRule(
      "a renamed attribute becomes required", "A\n  x Integer16",
      "A\n  y Integer16 required default=4 was=x",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, NULL), (2, 1, 7)",
      "SELECT ZY FROM ZA ORDER BY Z_PK", [[4], [7]]),
    InferredRule(
      "a transient attribute becomes stored", "A\n  x String transient",
      "A\n  x String default=d", "INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1)",
      "SELECT ZX FROM ZA", [["d"]]),
    InferredRule(
      "a stored attribute becomes transient", "A\n  x String", "A\n  x String transient",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')", "SELECT Z_PK FROM ZA", [[1]]),
    InferredRule(
      "an external value becomes internal under another name", "A\n  d Binary external",
      "A\n  e Binary was=d", "INSERT INTO ZA (Z_PK, Z_ENT, ZD) VALUES (1, 1, x'01AB')",
      "SELECT hex(ZE) FROM ZA", [["AB"]]),
    InferredRule(
      "a derived attribute becomes plain", "A\n  x String\n  up String derived=uppercase:(x)",
      "A\n  x String\n  up String", "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')",
      "SELECT ZUP FROM ZA", [["A"]]),
    InferredRule(
      "a derivation changes", "A\n  x String\n  y String\n  d String derived=uppercase:(x)",
      "A\n  x String\n  y String\n  d String derived=uppercase:(y)",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX, ZY) VALUES (1, 1, 'a', 'b')", "SELECT ZD FROM ZA", [["B"]]),
    InferredRule(
      "a constraint is removed", "A unique=x\n  x String", "A\n  x String",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')", "SELECT ZX FROM ZA", [["a"]]),
  ]

  static let hierarchies = [
    InferredRule(
      "an attribute moves to a new parent", "A\n  x String", "P abstract\n  x String\nA : P",
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (3, 1, 'a')", "SELECT Z_PK, Z_ENT, ZX FROM ZP",
      [[3, 2, "a"]]),
    InferredRule(
      "a parent disappears", "P abstract\n  x String\nA : P\n  y String",
      "A\n  x String\n  y String",
      "INSERT INTO ZP (Z_PK, Z_ENT, ZX, ZY) VALUES (3, 2, 'a', 'b')",
      "SELECT Z_PK, Z_ENT, ZX, ZY FROM ZA", [[3, 1, "a", "b"]]),
    InferredRule(
      "an entity between two disappears", "P\nQ : P\n  x String\nR : Q",
      "P\nR : P\n  x String", "INSERT INTO ZP (Z_PK, Z_ENT, ZX) VALUES (1, 1, NULL), (2, 3, 'r')",
      "SELECT Z_PK, Z_ENT, ZX FROM ZP ORDER BY 1", [[1, 1, nil], [2, 2, "r"]]),
    InferredRule(
      "a child gets a new parent between", "P\nR : P\n  x String",
      "P\nQ : P\n  x String\nR : Q", "INSERT INTO ZP (Z_PK, Z_ENT, ZX) VALUES (2, 2, 'r')",
      "SELECT Z_PK, Z_ENT, ZX FROM ZP", [[2, 3, "r"]]),
    InferredRule(
      "references to an entity that leaves its parent are cleared",
      "D\n  p -> P\nP\n  x String\nQ : P", "D\n  p -> P\nP\n  x String\nQ\n  x String",
      """
      INSERT INTO ZP (Z_PK, Z_ENT) VALUES (1, 2), (2, 3);
      INSERT INTO ZD (Z_PK, Z_ENT, ZP, Z2_P) VALUES (1, 1, 1, 2), (2, 1, 2, 3)
      """, "SELECT Z_PK, ZP FROM ZD ORDER BY 1", [[1, 1], [2, nil]]),
    InferredRule(
      "a reference follows an entity that leaves its parent",
      "D\n  q -> Q\nP\nQ : P", "D\n  q -> Q\nP\nQ",
      """
      INSERT INTO ZP (Z_PK, Z_ENT) VALUES (1, 2), (2, 3);
      INSERT INTO ZD (Z_PK, Z_ENT, ZQ) VALUES (1, 1, 2)
      """, "SELECT D.ZQ, Q.Z_ENT FROM ZD D JOIN ZQ Q ON Q.Z_PK = D.ZQ", [[2, 3]]),
    InferredRule(
      "an abstract entity gets objects", "P abstract\nQ : P", "P\nQ : P",
      "INSERT INTO ZP (Z_PK, Z_ENT) VALUES (1, 2)", "SELECT Z_ENT FROM ZP", [[2]]),
  ]

  static let relationships = [
    InferredRule(
      "a to-one relationship becomes to-many without an inverse", "A\n  b -> B\nB",
      "A\n  bs ->> B was=b\nB", pairs + "; UPDATE ZA SET ZB = Z_PK",
      "SELECT Z_PK, Z1BS FROM ZB ORDER BY 1", [[1, 1], [2, 2]]),
    InferredRule(
      "one-to-many becomes many-to-many", "A\n  bs ->> B a\nB\n  a -> A bs",
      "A\n  bs ->> B as\nB\n  as ->> A bs was=a", pairs + "; UPDATE ZB SET ZA = 2",
      "SELECT Z_1AS, Z_2BS FROM Z_1BS ORDER BY 1, 2", [[2, 1], [2, 2]]),
    InferredRule(
      "one-to-one becomes one-to-many", "A\n  b -> B a\nB\n  a -> A b",
      "A\n  bs ->> B a was=b\nB\n  a -> A bs",
      pairs + "; UPDATE ZA SET ZB = 3 - Z_PK; UPDATE ZB SET ZA = 3 - Z_PK",
      "SELECT Z_PK, ZA FROM ZB ORDER BY 1", [[1, 2], [2, 1]]),
    InferredRule(
      "an ordered relationship loses its order", "A\n  bs ->> B a ordered\nB\n  a -> A bs",
      "A\n  bs ->> B a\nB\n  a -> A bs",
      pairs + "; UPDATE ZB SET ZA = 1, Z_FOK_A = 1024 * (5 - Z_PK)",
      "SELECT Z_PK, ZA FROM ZB ORDER BY 1", [[1, 1], [2, 1]]),
    InferredRule(
      "a many-to-many relationship gets an order", "A\n  bs ->> B as\nB\n  as ->> A bs",
      "A\n  bs ->> B as ordered\nB\n  as ->> A bs",
      pairs + "; INSERT INTO Z_1BS VALUES (1, 2), (1, 1), (2, 1)",
      "SELECT Z_1AS, Z_2BS, Z_FOK_2BS FROM Z_1BS ORDER BY 1, 2",
      [[1, 1, 2048], [1, 2, 3072], [2, 1, 2048]]),
    InferredRule(
      "a many-to-many relationship loses its order",
      "A\n  bs ->> B as ordered\nB\n  as ->> A bs", "A\n  bs ->> B as\nB\n  as ->> A bs",
      pairs + "; INSERT INTO Z_1BS VALUES (1, 2, 2048), (1, 1, 3072)",
      "SELECT Z_1AS, Z_2BS FROM Z_1BS ORDER BY 1, 2", [[1, 1], [1, 2]]),
    InferredRule(
      "both sides of a many-to-many relationship are renamed",
      "A\n  bs ->> B as\nB\n  as ->> A bs",
      "A\n  members ->> B owners was=bs\nB\n  owners ->> A members was=as",
      pairs + "; INSERT INTO Z_1BS VALUES (1, 2)",
      "SELECT Z_1OWNERS, Z_2MEMBERS FROM Z_1MEMBERS", [[1, 2]]),
    InferredRule(
      "a relationship and its inverse are removed", "A\n  bs ->> B as\nB\n  as ->> A bs",
      "A\nB", pairs + "; INSERT INTO Z_1BS VALUES (1, 2)", "SELECT count(*) FROM ZA", [[2]]),
    InferredRule(
      "a new relationship is empty", "A\nB", "A\n  b -> B as\nB\n  as ->> A b", pairs,
      "SELECT ZB FROM ZA", [[nil], [nil]]),
    InferredRule(
      "the destination is renamed", "A\n  b -> B\nB", "A\n  b -> C\nC was=B",
      pairs + "; UPDATE ZA SET ZB = 2", "SELECT ZB FROM ZA", [[2], [2]]),
    InferredRule(
      "the destination gets subentities", "A\n  b -> B\nB", "A\n  b -> B\nB\nC : B",
      pairs + "; UPDATE ZA SET ZB = 2 WHERE Z_PK = 1", "SELECT ZB, Z2_B FROM ZA ORDER BY Z_PK",
      [[2, 2], [nil, nil]]),
    InferredRule(
      "join tables of one entity change places",
      """
      Badge\n  people ->> Person badges\nClub\n  people ->> Person clubs\nPerson\n  badges \
      ->> Badge people\n  clubs ->> Club people
      """,
      """
      Badge\n  people ->> Person zbadges\nClub\n  people ->> Person clubs\nPerson\n  zbadges \
      ->> Badge people was=badges\n  clubs ->> Club people
      """,
      """
      INSERT INTO ZBADGE (Z_PK, Z_ENT) VALUES (1, 1); INSERT INTO ZCLUB (Z_PK, Z_ENT) VALUES (1, 2);
      INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (5, 3), (6, 3);
      INSERT INTO Z_1PEOPLE VALUES (1, 5); INSERT INTO Z_2PEOPLE VALUES (1, 6)
      """, "SELECT Z_1ZBADGES, Z_3PEOPLE1, (SELECT Z_3PEOPLE FROM Z_2PEOPLE) FROM Z_1PEOPLE",
      [[1, 5, 6]]),
  ]
}

@Suite struct `Inferred migrations` {
  @Test(arguments: InferredRule.attributes + InferredRule.hierarchies + InferredRule.relationships)
  func `A migration follows the rule`(rule: InferredRule) throws {
    let store = try MigratedStore(rule.old, filledBy: rule.rows)
    let opened = try store.open(rule.new)
    #expect(try opened.connection.rows(rule.query) == rule.expected)
  }

  private static let chain = [
    "A\n  x String\n  bs ->> B as\nB\n  as ->> A bs",
    "A2 was=A\n  x2 String was=x\n  bs2 ->> B2 as2 was=bs\nB2 was=B\n  as2 ->> A2 bs2 was=as",
    "A3 was=A\n  x3 String was=x\n  bs3 ->> B3 as3 was=bs\nB3 was=B\n  as3 ->> A3 bs3 was=as",
  ]

  @Test func `A chain of renames gives the same rows in one step and in several`() throws {
    let rows = """
      INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a'), (2, 1, 'b');
      INSERT INTO ZB (Z_PK, Z_ENT) VALUES (7, 2); INSERT INTO Z_1BS VALUES (2, 7)
      """
    for path in [[0, 1, 2], [0, 2]] {
      let store = try MigratedStore(Self.chain[0], filledBy: rows)
      for version in path.dropFirst().dropLast() {
        try store.open(Self.chain[version]).connection.close()
      }
      let opened = try store.open(Self.chain[2])
      #expect(
        try opened.connection.rows("SELECT Z_PK, ZX3 FROM ZA3 ORDER BY 1") == [
          [1, "a"], [2, "b"],
        ])
      #expect(try opened.connection.rows("SELECT Z_1AS3, Z_2BS3 FROM Z_1BS3") == [[2, 7]])
    }
  }
}
