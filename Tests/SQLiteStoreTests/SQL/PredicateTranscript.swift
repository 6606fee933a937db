/// Predicates with their SQL: the part after FROM, and the bindings.
enum PredicateTranscript {
  /// Comparisons of a root entity, and its relationships of every kind.
  static let roots = """
    Author: name == 'x'
      ZAUTHOR t0 WHERE t0.ZNAME = ? ← "x"
    Author: name != 'x'
      ZAUTHOR t0 WHERE t0.ZNAME <> ? ← "x"
    Author: name == nil
      ZAUTHOR t0 WHERE t0.ZNAME IS NULL
    Author: name != nil
      ZAUTHOR t0 WHERE t0.ZNAME IS NOT NULL
    Author: name ==[cd] 'x'
      ZAUTHOR t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 385, 0) ← "x"
    Author: name !=[c] 'x'
      ZAUTHOR t0 WHERE (t0.ZNAME IS NOT NULL AND NOT NSCoreDataStringSearch(t0.ZNAME, ?, 1, 0)) ← "x"
    Author: name BEGINSWITH 'x'
      ZAUTHOR t0 WHERE (t0.ZNAME >= ? AND t0.ZNAME < ?) ← "x", "y"
    Author: NOT name BEGINSWITH 'x'
      ZAUTHOR t0 WHERE NOT (NSCoreDataStringSearch(t0.ZNAME, ?, 8, 1)) ← "x"
    Author: name BEGINSWITH[c] 'x'
      ZAUTHOR t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 9, 1) ← "x"
    Author: name CONTAINS[cd] 'x'
      ZAUTHOR t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 385, 1) ← "x"
    Author: name LIKE 'x*'
      ZAUTHOR t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 0, 2) ← "x*"
    Author: name MATCHES 'x.*'
      ZAUTHOR t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 0, 3) ← "x.*"
    Author: name <[c] 'x' OR rating > 3
      ZAUTHOR t0 WHERE (ParhelionTextOrder(t0.ZNAME, ?, 1) < 0 OR t0.ZRATING > ?) ← "x", 3
    Author: rating BETWEEN {1, 5}
      ZAUTHOR t0 WHERE t0.ZRATING BETWEEN ? AND ? ← 1, 5
    Author: rating BETWEEN {rating - 1, 5}
      ZAUTHOR t0 WHERE t0.ZRATING BETWEEN (t0.ZRATING - ?) AND ? ← 1, 5
    Author: name IN {'a', 'b'}
      ZAUTHOR t0 WHERE t0.ZNAME IN (?, ?) ← "a", "b"
    Author: name IN[c] {'a', 'b'}
      ZAUTHOR t0 WHERE ParhelionFold(t0.ZNAME, 1) IN (?, ?) ← "a", "b"
    Author: ANY works.title == 'x'
      ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND t1.ZTITLE = ?) ← "x"
    Author: NONE works.title == 'x'
      ZAUTHOR t0 WHERE NOT (EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND t1.ZTITLE = ?)) ← "x"
    Author: ALL works.code > 3
      ZAUTHOR t0 WHERE NOT EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND (t1.ZCODE > ?) IS NOT TRUE) ← 3
    Author: ANY books.title == 'x'
      ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM Z_1BOOKS t1 JOIN ZITEM t2 ON t1.Z_3BOOKS = t2.Z_PK WHERE t1.Z_1AUTHORS = t0.Z_PK AND t2.ZTITLE = ?) ← "x"
    Author: ANY friends.name == 'x'
      ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM Z_1FRIENDS t1 JOIN ZAUTHOR t2 ON t1.REFLEXIVE = t2.Z_PK WHERE t1.Z_1FRIENDS = t0.Z_PK AND t2.ZNAME = ?) ← "x"
    Author: ANY friends == SELF
      ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM Z_1FRIENDS t1 WHERE t1.Z_1FRIENDS = t0.Z_PK AND t1.REFLEXIVE = t0.Z_PK)
    Author: works.@count > 0
      ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK)
    Author: works.@count == 2
      ZAUTHOR t0 WHERE (SELECT COUNT(*) FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK) = ? ← 2
    Author: books.@count > 2
      ZAUTHOR t0 WHERE (SELECT COUNT(*) FROM Z_1BOOKS t1 WHERE t1.Z_1AUTHORS = t0.Z_PK) > ? ← 2
    Author: books.@sum.pages > 100
      ZAUTHOR t0 WHERE IFNULL((SELECT SUM(t2.ZPAGES) FROM Z_1BOOKS t1 JOIN ZITEM t2 ON t1.Z_3BOOKS = t2.Z_PK WHERE t1.Z_1AUTHORS = t0.Z_PK), 0) > ? ← 100
    Author: books.pages.@avg > 100
      ZAUTHOR t0 WHERE IFNULL((SELECT AVG(t2.ZPAGES) FROM Z_1BOOKS t1 JOIN ZITEM t2 ON t1.Z_3BOOKS = t2.Z_PK WHERE t1.Z_1AUTHORS = t0.Z_PK), 0) > ? ← 100
    Author: works.@max.code < 5
      ZAUTHOR t0 WHERE (SELECT MAX(t1.ZCODE) FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK) < ? ← 5
    Author: SUBQUERY(works, $w, $w.title == 'x' AND $w.owner == SELF).@count > 0
      ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND t1.ZTITLE = ? AND t1.ZOWNER = t0.Z_PK) ← "x"
    Author: SUBQUERY(books, $b, ANY $b.tags.label == 'x').@count == 2
      ZAUTHOR t0 WHERE (SELECT COUNT(*) FROM Z_1BOOKS t1 WHERE t1.Z_1AUTHORS = t0.Z_PK AND EXISTS (SELECT 1 FROM Z_2TAGS t2 JOIN ZTAG t3 ON t2.Z_7TAGS = t3.Z_PK WHERE t2.Z_2ITEMS = t1.Z_3BOOKS AND t3.ZLABEL = ?)) = ? ← "x", 2
    Author: SUBQUERY(works, $w, $w.code > mentor.rating).@count > 3
      ZAUTHOR t0 LEFT OUTER JOIN ZAUTHOR t2 ON t0.ZMENTOR = t2.Z_PK WHERE (SELECT COUNT(*) FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND t1.ZCODE > t2.ZRATING) > ? ← 3
    """

  /// Hierarchies, and paths over to-one relationships.
  static let hierarchies = """
    Item: title IN {'a', nil}
      ZITEM t0 WHERE (t0.ZTITLE IN (?) OR t0.ZTITLE IS NULL) ← "a"
    Item: owner.name == 'x'
      ZITEM t0 JOIN ZAUTHOR t1 ON t0.ZOWNER = t1.Z_PK WHERE t1.ZNAME = ? ← "x"
    Item: owner.name == 'x' OR title == 'y'
      ZITEM t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZOWNER = t1.Z_PK WHERE (t1.ZNAME = ? OR t0.ZTITLE = ?) ← "x", "y"
    Item: owner.mentor.name == 'x' AND owner.rating > 3
      ZITEM t0 JOIN ZAUTHOR t1 ON t0.ZOWNER = t1.Z_PK JOIN ZAUTHOR t2 ON t1.ZMENTOR = t2.Z_PK WHERE t2.ZNAME = ? AND t1.ZRATING > ? ← "x", 3
    Item: owner == nil
      ZITEM t0 WHERE t0.ZOWNER IS NULL
    Item: owner.name == nil
      ZITEM t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZOWNER = t1.Z_PK WHERE t1.ZNAME IS NULL
    Book: ANY authors.name CONTAINS 'x'
      ZITEM t0 WHERE t0.Z_ENT IN (3, 4) AND EXISTS (SELECT 1 FROM Z_1BOOKS t1 JOIN ZAUTHOR t2 ON t1.Z_1AUTHORS = t2.Z_PK WHERE t1.Z_3BOOKS = t0.Z_PK AND NSCoreDataStringSearch(t2.ZNAME, ?, 0, 1)) ← "x"
    Item: ANY owner.pupils.name == 'x'
      ZITEM t0 WHERE EXISTS (SELECT 1 FROM ZAUTHOR t1 WHERE t1.ZMENTOR = t0.ZOWNER AND t1.ZNAME = ?) ← "x"
    Item: pages > 3
      ZITEM t0 WHERE t0.ZPAGES > ? ← 3
    Book: genre == 'x'
      ZITEM t0 WHERE t0.Z_ENT IN (3, 4) AND t0.ZGENRE = ? ← "x"
    Film: seen == YES
      ZITEM t0 WHERE t0.Z_ENT = 5 AND t0.ZSEEN = ? ← 1
    Item: entity.name == 'Film'
      ZITEM t0 WHERE t0.Z_ENT = ? ← 5
    Book: price > 10.5
      ZITEM t0 WHERE t0.Z_ENT IN (3, 4) AND t0.ZPRICE > ? ← 10.5
    """

  /// Kinds of values, and functions.
  static let values = """
    Sample: place.latitude > 3
      ZSAMPLE t0 WHERE t0.ZLATITUDE > ? ← 3
    Sample: shape == nil
      ZSAMPLE t0 WHERE t0.ZSHAPE IS NULL
    Sample: abs(small) + medium * 2 > 5
      ZSAMPLE t0 WHERE (ParhelionAbsolute(t0.ZSMALL) + (t0.ZMEDIUM * ?)) > ? ← 2, 5
    Sample: bitwiseAnd:with:(large, 4) != 0
      ZSAMPLE t0 WHERE (t0.ZLARGE & ?) <> ? ← 4, 0
    Sample: text.length > 3
      ZSAMPLE t0 WHERE ParhelionLength(t0.ZTEXT) > ? ← 3
    Sample: uppercase:(text) == 'X'
      ZSAMPLE t0 WHERE ParhelionUppercase(t0.ZTEXT) = ? ← "X"
    Sample: TERNARY(flag == YES, small, medium) > 3
      ZSAMPLE t0 WHERE CASE WHEN t0.ZFLAG = ? THEN t0.ZSMALL ELSE t0.ZMEDIUM END > ? ← 1, 3
    Sample: 1 == 1 AND TRUEPREDICATE
      ZSAMPLE t0
    Sample: FALSEPREDICATE
      ZSAMPLE t0 WHERE 0
    Sample: NOT (text == 'a' AND small > 3)
      ZSAMPLE t0 WHERE NOT (t0.ZTEXT = ? AND t0.ZSMALL > ?) ← "a", 3
    """
}
