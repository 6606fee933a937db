/// The numbers of the history's own entities, under which `Z_PRIMARYKEY` counts their keys.
enum HistoryEntity {
  static let change = 16001
  static let transaction = 16002
  static let string = 16003
}
