#ifndef PARHELION_OBJECT_REFERENCES_H
#define PARHELION_OBJECT_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

/// Retains an object and returns it, or returns NULL where the object's deinitialiser has begun.
///
/// It is part of the stable interface of Swift's runtime, which is what a weak reference calls when it is read. A table
/// whose objects leave it from their deinitialisers, under one lock with whoever looks them up, needs no more than this
/// for its weak references, and none of their memory.
void *swift_tryRetain(void *object);

/// Takes memory for an object of a class and gives the class to it; the properties are what the memory held before.
///
/// It is part of the stable interface of Swift's runtime, which is what an initialiser begins with.
///
/// - Parameter alignmentMask: One less than the alignment.
void *swift_allocObject(const void *metadata, size_t bytes, size_t alignmentMask);

/// Retains an object several times at the price of once.
///
/// It is part of the stable interface of Swift's runtime, which compiled code calls where several counts come together.
void *swift_retain_n(void *object, uint32_t count);

#endif
