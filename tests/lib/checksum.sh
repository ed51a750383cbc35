# checksum.sh: the checksum of a manifest, for tests that change one; sourced.
checksum() { # FILE: its CRC-32C
  local byte crc=$((0xffffffff)) i
  for byte in $(od -An -v -tu1 "$1"); do
    crc=$((crc ^ byte))
    for i in 1 2 3 4 5 6 7 8; do crc=$((crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0))); done
  done
  printf %08x $((crc ^ 0xffffffff))
}

sign() { # MANIFEST: its last line, right again
  sed -i '$d' "$1"
  printf 'checksum: %s\n' "$(checksum "$1")" >>"$1"
}
