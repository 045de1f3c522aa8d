# SPDX-License-Identifier: BSL-1.0
# Shared by the scripts beside it; sourced, not run.
# shellcheck shell=bash

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Open MPI refuses to run as root without these; containers often have no other user.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

say() { printf '\n== %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

mpx_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'; }
# apt-cache show also succeeds for a package that others merely mention.
mpx_in_archive() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]; }

mpx_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

mpx_updated=0
# Refreshes the package lists, once.
mpx_update() {
  [ "$mpx_updated" -eq 0 ] || return 0
  mpx_updated=1
  mpx_as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq \
    || warn "apt-get update failed; going on with the lists that are here"
}

mpx_apt() {
  mpx_update
  mpx_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@"
}

# Prints those of the packages that are not installed. An argument a|b|c means: any of them will do,
# and the first one that the archive has is the one to install.
mpx_missing() {
  local choice name
  for choice in "$@"; do
    for name in ${choice//|/ }; do
      mpx_installed "$name" && continue 2
    done
    for name in ${choice//|/ }; do
      if mpx_in_archive "$name"; then
        echo "$name"
        continue 2
      fi
    done
    echo "${choice%%|*}"
  done
}

mpx_boost_present() {
  local version
  version=$(sed -n 's/^#define BOOST_VERSION //p' /usr/include/boost/version.hpp 2>/dev/null)
  [ "${version:-0}" -ge 107400 ] && [ -f /usr/include/boost/intrusive/list.hpp ] &&
    [ -f /usr/include/boost/pfr.hpp ]
}

# Boost.Context, for simulations, in the version of the Boost that is there or will be.
mpx_wanted_context() {
  local version
  version=$(sed -n 's/^#define BOOST_LIB_VERSION "\([0-9]*\)_\([0-9]*\).*/\1.\2/p' \
    /usr/include/boost/version.hpp 2>/dev/null || true)
  if [ -n "$version" ]; then
    echo "libboost-context$version-dev"
  else
    echo 'libboost-context1.81-dev|libboost-context1.83-dev|libboost-context-dev'
  fi
}

# The newest clang that mpx is known to work with: what is here, else what the archive has.
mpx_clang_version() {
  local version
  for version in 19 18 17 16; do
    if mpx_installed "clang-$version" || mpx_in_archive "clang-$version"; then
      echo "$version"
      return
    fi
  done
  echo 19
}

# The oldest compilers that mpx works with, as far as they can be had: users' programs are built with them.
mpx_oldest_compilers() {
  local name
  for name in g++-12 clang-16; do
    if mpx_installed "$name" || mpx_in_archive "$name"; then
      echo "$name"
    fi
  done
}

# mpx_wanted demo|docs|test|release: what the set needs, in the notation of mpx_missing.
mpx_wanted() {
  local clang
  if [ "$1" = docs ]; then
    echo doxygen python3
    return
  elif [ "$1" = release ]; then  # Beside those of the tests.
    echo git gpg lintian debootstrap dpkg-dev fakeroot man-db groff-base zsh fish
    return
  fi
  echo g++ cmake ninja-build pkg-config python3 ca-certificates procps \
    libcli11-dev libssl-dev libfmt-dev libpng-dev nlohmann-json3-dev libbenchmark-dev gnuplot-nox
  # Two Boosts exclude each other: leave alone what somebody has chosen.
  mpx_boost_present || echo 'libboost1.81-dev|libboost1.83-dev|libboost-dev'
  mpx_wanted_context
  if [ "$1" = test ]; then
    clang=$(mpx_clang_version)
    echo git doctest-dev doxygen valgrind "clang-$clang" "libclang-rt-$clang-dev" \
      'clang-tidy-19|clang-tidy-18' 'clang-format-19|clang-format-18' iproute2 nftables
    mpx_oldest_compilers
  fi
}

# mpx_install demo|docs|test|release: installs what is missing of the set, and asks for nothing where all is there.
mpx_install() {
  local missing missing_optional
  local optional=(mpich libmpich-dev openmpi-bin libopenmpi-dev)
  # Launchers whose jobs the tests join; mpich and openmpi-bin have two.
  [ "$1" != test ] || optional+=(libpmix-dev libfabric-dev slurmctld slurmd slurm-client munge)
  # Has <mdspan>, which libstdc++ has not yet.
  [ "$1" != test ] || optional+=("libc++-$(mpx_clang_version)-dev" "libc++abi-$(mpx_clang_version)-dev")
  # Links the sanitizers' programs in a third of the time.
  [ "$1" != test ] || optional+=("lld-$(mpx_clang_version)")
  [[ $1 != docs && $1 != release ]] || optional=()
  # shellcheck disable=SC2046
  {
    mapfile -t missing < <(mpx_missing $(mpx_wanted "$1"))
    mapfile -t missing_optional < <(mpx_missing "${optional[@]}")
  }
  [ $((${#missing[@]} + ${#missing_optional[@]})) -gt 0 ] || return 0

  command -v apt-get >/dev/null \
    || die "this script installs packages with apt-get; install by hand what corresponds to: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    [ ${#missing[@]} -gt 0 ] || { warn "going on without: ${missing_optional[*]}"; return 0; }
    die "packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
  fi

  # Which of several names the archive has is known only after an update.
  mpx_update
  # shellcheck disable=SC2046
  mapfile -t missing < <(mpx_missing $(mpx_wanted "$1"))
  mapfile -t missing_optional < <(mpx_missing "${optional[@]}")
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    mpx_apt "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
  fi
  if [ ${#missing_optional[@]} -gt 0 ]; then
    say "installing other MPIs and launchers: ${missing_optional[*]}"
    mpx_apt "${missing_optional[@]}" || warn "going on without: ${missing_optional[*]}"
  fi
  # Installing another package can pull in the default Boost in place of the one that was there.
  [[ $1 = docs || $1 = release ]] || mpx_boost_present || mpx_apt "$(mpx_missing 'libboost1.81-dev|libboost1.83-dev|libboost-dev')"
}

# mpx_install_cross: what the preset aarch64 needs beyond the tests' packages. Returns 1, and names in
# mpx_cross_missing what is missing, where that cannot be had.
mpx_install_cross() {
  local missing
  mpx_cross_missing=
  mapfile -t missing < <(mpx_missing g++-aarch64-linux-gnu 'qemu-user|qemu-user-static')
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  if command -v apt-get >/dev/null && mpx_apt "${missing[@]}"; then
    return 0
  fi
  # shellcheck disable=SC2034  # scripts/test says it.
  mpx_cross_missing="${missing[*]}"
  return 1
}

# mpx_build <preset> [cmake option...]: configures and builds into build/<preset>.
mpx_build() {
  local preset=$1
  shift
  cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --parallel "$(mpx_jobs)"
}

# One compile job takes up to 2.2 GB: memory may bound the jobs before the cores do.
mpx_jobs() {
  local by_memory cores
  cores=$(nproc)
  by_memory=$(awk '/MemAvailable/ { print int($2 / 2200000) }' /proc/meminfo)
  echo $((by_memory < 1 ? 1 : by_memory < cores ? by_memory : cores))
}
