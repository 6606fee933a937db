#ifndef PARHELION_MODEL_REGISTRY_H
#define PARHELION_MODEL_REGISTRY_H

/// A function that registers one generated model with the Swift side.
typedef void (*parhelion_model_registration)(void);

/// Adds a registration to the process-wide list. Generated code calls this from a load-time record, which may run
/// before the Swift standard library is ready: so it is C, it touches no Swift state, and it is safe from any thread.
void parhelion_model_registry_push(parhelion_model_registration registration);

/// Takes the oldest registration off the list, or returns NULL when the list is empty. Safe from any thread.
parhelion_model_registration parhelion_model_registry_pop(void);

#endif
