#!/bin/bash
# Sees to it that the Debian packages of a group are there, so that every make target does its own set-up.
#
#   tools/packages.sh GROUP…
#
# Nothing missing: silent and instant. As root on Debian or Ubuntu: installs what is missing. Otherwise names
# it in one line; that is an error for the group "build", and for the others the caller leaves out what it cannot run.
set -u

arch=$(uname -m)
python=$(readlink /usr/bin/python3 || echo python3.11)

group_packages() {
  case $1 in
    build)
      echo gcc libc6-dev make binutils
      # A library that did not come as a package is as good.
      echo '#include <zstd.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1 || echo libzstd-dev
      ;;
    symbols) # names and source lines in reports
      echo '#include <elfutils/libdwfl.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1 || echo libdw-dev
      ;;
    test)
      echo g++ binutils gdb strace procps util-linux
      echo golang-go # a program with a runtime of its own, for the debugger
      echo gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user parallel # programs for the simulated machine, their oracle, and its sweeps
      echo libxxhash-dev                                                    # the oracle of the digest
      [ "$arch" != x86_64 ] || echo libzydis-dev libzycore-dev
      ;;
    e2e)
      echo coreutils findutils grep tar gzip bzip2 xz-utils zstd pigz pbzip2 make gcc g++ git perl openssl
      echo python3 "lib$python-testsuite" sqlite3 sysbench redis-server redis-tools memcached nginx-light wrk
      echo nodejs luajit musl-tools procps
      ;;
    cross) # the other instruction set
      if [ "$arch" = x86_64 ]; then
        echo gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user gdb-multiarch
      else
        echo gcc-x86-64-linux-gnu g++-x86-64-linux-gnu libc6-dev-amd64-cross qemu-user gdb-multiarch
      fi
      ;;
    bench) cat "${0%/*}/../bench/packages" ;;
    lint) echo clang clang-format clang-tidy cppcheck ;;
    fuzz) echo clang libclang-rt-dev ;;
    *)
      echo "tools/packages.sh: no group '$1' (build, symbols, test, e2e, cross, bench, lint, fuzz)" >&2
      exit 2
      ;;
  esac
}

missing_packages() {
  local have
  have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p')
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$have" | sort -u)
}

# Servers among the packages must not be started by their installation: the tests start their own.
without_services() {
  local policy=/usr/sbin/policy-rc.d made='' status
  if [ ! -e $policy ]; then
    made=yes
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
  fi
  "$@"
  status=$?
  [ -z "$made" ] || rm -f $policy
  return $status
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends "$@" >/dev/null 2>&1; }

# All at once, after an update if need be, and one by one where some do not exist in this release.
install_packages() {
  local package
  apt install "$@" || { apt update && apt install "$@"; } ||
    for package in "$@"; do apt install "$package"; done
}

wanted=()
for group in "$@"; do
  # One word per package.
  # shellcheck disable=SC2207
  wanted+=($(group_packages "$group")) || exit 2
done

[ ${#wanted[@]} -gt 0 ] || exit 0

if ! command -v dpkg-query >/dev/null; then
  [[ " $* " != *" build "* ]] || command -v "${CC:-gcc}" >/dev/null && exit 0
  echo "reprise: a C compiler is needed to build; on Debian: apt-get install ${wanted[*]}" >&2
  exit 1
fi

mapfile -t missing < <(missing_packages "${wanted[@]}")
[ ${#missing[@]} -gt 0 ] || exit 0

# Two make jobs may want packages at the same time; the second finds them there.
if [ "$(id -u)" = 0 ] && exec 9>/run/lock/reprise-packages && flock 9; then
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [ ${#missing[@]} -gt 0 ] || exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "  APT ${missing[*]}"
  without_services install_packages "${missing[@]}"
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [ ${#missing[@]} -gt 0 ] || exit 0
fi

if [[ " $* " == *" build "* ]]; then
  echo "reprise: cannot build without these packages: ${missing[*]}" >&2
  exit 1
fi
echo "reprise: left out for want of these packages: ${missing[*]}" >&2
exit 0
