/* bytes.h: numbers in the format's byte order, little-endian, at any alignment. */
#ifndef REPRISE_RECORDING_BYTES_H
#define REPRISE_RECORDING_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline void put16(uint8_t *at, uint16_t value) {
  value = htole16(value);
  memcpy(at, &value, sizeof value);
}

static inline void put32(uint8_t *at, uint32_t value) {
  value = htole32(value);
  memcpy(at, &value, sizeof value);
}

static inline void put64(uint8_t *at, uint64_t value) {
  value = htole64(value);
  memcpy(at, &value, sizeof value);
}

static inline uint16_t get16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return le16toh(value);
}

static inline uint32_t get32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return le32toh(value);
}

static inline uint64_t get64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return le64toh(value);
}

#endif
