//go:build cgo && linux

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// In the headers from glibc 2.25 on, but only with a feature macro.
int getentropy(void *buffer, size_t length);

// std::random_device's source. Hidden: no other library of the process gets this one.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value;
  if (getentropy(&value, sizeof value) != 0) abort();
  return value;
}
