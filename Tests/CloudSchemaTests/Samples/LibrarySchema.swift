import CloudRecords
import CloudSchema

/// A schema with every construct of the language.
let libraryText = """
  DEFINE SCHEMA
      CREATE ROLE Librarian;

      RECORD TYPE Book (
          "___recordID"  REFERENCE QUERYABLE,
          "___modTime"   TIMESTAMP QUERYABLE SORTABLE,
          title          STRING QUERYABLE SORTABLE SEARCHABLE,
          pageCount      INT64 QUERYABLE SORTABLE,
          rating         NUMBER PREFERRED AS DOUBLE,
          published      TIMESTAMP QUERYABLE SORTABLE,
          tags           LIST<STRING> QUERYABLE,
          shelf          REFERENCE QUERYABLE,
          cover          ASSET,
          branch         LOCATION QUERYABLE,
          blob           BYTES,
          privateNote    ENCRYPTED STRING,
          GRANT WRITE TO "_creator",
          GRANT CREATE TO "_icloud",
          GRANT READ TO "_world",
          GRANT READ, CREATE, WRITE TO Librarian
      );

      RECORD TYPE Users (
          roles LIST<INT64>,
          GRANT WRITE TO "_creator",
          GRANT READ TO "_world"
      );
  """

/// A schema of one type, from the items between its parentheses.
func schema(_ items: String, type: String = "T") throws -> Schema {
  try Schema(text: "DEFINE SCHEMA RECORD TYPE \(type) (\(items));")
}

/// The issues that the body throws as text, or nil if it throws none.
func issues(_ body: () throws -> Void) throws -> String? {
  do {
    try body()
    return nil
  } catch let issues as SchemaIssues {
    return issues.description
  }
}

/// The cloud error that the body throws, or nil.
func cloudError(_ body: () throws -> Void) throws -> CloudError? {
  do {
    try body()
    return nil
  } catch let error as CloudError {
    return error
  }
}
