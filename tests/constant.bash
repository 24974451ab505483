# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A constant with another value, such as a time limit that a test cannot wait for.

# Work with a copy of the project in which a constant has another value.
# Usage: constant_set FILE NAME VALUE   Sets: REPO   Returns: 0
constant_set() {
  mkdir copy
  ln -s "$REPO"/* copy
  rm copy/lib
  # With its times: sources newer than the load generator would have it built again.
  cp -a "$REPO/lib" copy/lib
  REPO=$SCRATCH/copy
  sed -i "s/^readonly $2=[^ ]*/readonly $2=$3/" "$REPO/$1"
  grep -qxF "readonly $2=$3" "$REPO/$1"
}
