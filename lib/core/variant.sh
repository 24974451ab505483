# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Variants: their files, as a layer of the settings.

VARIANT_OPTIONAL=' ' # variants that VARIANTS names with ?, with blanks around each

# Take the ? from the names in VARIANTS. Refuse a variant that has no file, or is repeated: its repeats would have the same directories.
# Usage: variant_check
# Returns: sets VARIANT_OPTIONAL; exits 2 on an invalid variant
variant_check() {
  local variant seen=' ' REPLY
  local -a names
  read -r -a names <<<"$VARIANTS"
  for variant in "${names[@]}"; do [[ $variant != *'?' ]] || VARIANT_OPTIONAL+="${variant%?} "; done
  [[ $VARIANT_OPTIONAL == ' ' ]] || variant_keep "${names[*]%\?}"
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

# Reduce VARIANTS to these names.
# Usage: variant_keep NAMES
variant_keep() {
  local REPLY
  conf_layer VARIANTS
  conf_word "$REPLY" "VARIANTS=$1" "$(conf_where VARIANTS)"
  conf_resolve
}

# Read the files of all variants, each into its layer.
# Usage: variant_read
variant_read() {
  local variant REPLY
  for variant in $VARIANTS; do
    _variant_file "$variant"
    conf_file "variant:$variant" "$REPLY"
  done
}

# Print the settings of a variant's file, as NAME=VALUE; nothing if the file no longer exists.
# Usage: variant_sets VARIANT
variant_sets() (
  # Not the variant of a resumed run: that file has every setting.
  named_find variants "$1" || exit 0
  conf_file file "$REPLY"
  conf_said file
)

# The file of a variant. A resumed run reads the settings it began with, not the current files.
# Usage: _variant_file VARIANT
# Returns: sets REPLY
_variant_file() {
  if [[ -n $RESUME ]]; then
    REPLY=$RESUME/$1/variant.conf
  else
    named_find variants "$1" || :
  fi
}
