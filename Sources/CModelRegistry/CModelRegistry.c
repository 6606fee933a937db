#include "CModelRegistry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
  parhelion_model_registration registration;
  struct node *next;
} node;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static node *first = NULL;
static node *last = NULL;

void parhelion_model_registry_push(parhelion_model_registration registration) {
  node *added = malloc(sizeof(node));
  if (added == NULL) {
    fputs("Parhelion: out of memory while a generated model registers itself at load.\n", stderr);
    abort();
  }
  added->registration = registration;
  added->next = NULL;
  pthread_mutex_lock(&lock);
  if (last == NULL) {
    first = added;
  } else {
    last->next = added;
  }
  last = added;
  pthread_mutex_unlock(&lock);
}

parhelion_model_registration parhelion_model_registry_pop(void) {
  pthread_mutex_lock(&lock);
  node *taken = first;
  if (taken != NULL) {
    first = taken->next;
    if (first == NULL) {
      last = NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  if (taken == NULL) {
    return NULL;
  }
  parhelion_model_registration registration = taken->registration;
  free(taken);
  return registration;
}
