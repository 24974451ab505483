# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Variants: their files, as a layer of the settings.

# By variant: yes after its file was read.
declare -A _VARIANT_READ=()

# Refuse a variant that has no file, or is repeated: its repeats would have the same directories.
# Usage: variant_check
variant_check() {
  local variant seen=' ' REPLY
  for variant in $VARIANTS; do
    [[ $seen != *" $variant "* ]] || conf_refuse VARIANTS "the variant $variant is repeated; give each variant once"
    seen+="$variant "
    # Its results would have a directory with this name.
    [[ $variant != *:* ]] || conf_refuse VARIANTS "$variant: a name with a colon, which is no name of a directory on other systems; rename its file"
    _variant_file "$variant"
    [[ -r $REPLY ]] || {
      nearest_conf "$variant" variants
      conf_refuse VARIANTS "$variant: not found; $REPLY"
    }
  done
}

# Resolve the settings with a variant's file in its layer, or without a variant if VARIANT is empty.
# Usage: variant_use VARIANT
variant_use() {
  local REPLY
  conf_variant "$1"
  # The state of plan_enter is no longer valid.
  PLAN_ENTERED=
  if [[ -n $1 && -z ${_VARIANT_READ[$1]+set} ]]; then
    _variant_file "$1"
    conf_file "variant:$1" "$REPLY"
    _VARIANT_READ[$1]=yes
    axes_check "$1"
    _variant_tier "$1"
  fi
  conf_resolve
  hosts_clients
  sizes_settle
  fill_settle
}

# Refuse a tier that overrides that of the variant: results would have the name of another tier.
# Usage: _variant_tier VARIANT
# Globals: TIER, resolved for the variant; RESUME: a resumed run keeps its settings
_variant_tier() {
  local tier=${_CONF_VALUE["variant:$1 TIER"]-}
  [[ -n $RESUME || -z $tier || $tier == "$TIER" ]] || conf_refuse TIER "conflicts with TIER=$tier of the variant $1; leave it out, and name a variant with this tier (-v)"
}

# Print the settings of a variant's file, as NAME=VALUE; nothing if the file no longer exists.
# Usage: variant_sets VARIANT
variant_sets() (
  # Not the variant of a resumed run: that file has every setting.
  [[ -r $ROOT/conf/variants/$1.conf ]] || exit 0
  conf_file file "$ROOT/conf/variants/$1.conf"
  conf_said file
)

# The file of a variant. A resumed run reads the settings it began with, not the current files.
# Usage: _variant_file VARIANT
# Returns: sets REPLY
_variant_file() {
  if [[ -n $RESUME ]]; then
    REPLY=$RESUME/$1/variant.conf
  else
    REPLY=$ROOT/conf/variants/$1.conf
  fi
}
