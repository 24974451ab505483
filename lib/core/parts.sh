# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The parts of a run: each feature is a directory part/NAME in lib/ or of TIERBENCH_PATH, and a line of part/list there. What it declares is in its
# part.tsv, rows KIND FIELD... (docs/parts.md).

PARTS=()                # in the order in which they begin
declare -A PART_DIR=()  # by part: its directory
declare -A PART_ROWS=() # by part and kind, with a blank between them: the fields of its rows, one row per line
_PARTS_COLUMNS=         # the lists of result columns, once they are known

# Read what the parts declare, as the modules are loaded.
# Usage: parts_read
# Returns: sets PARTS, PART_DIR and PART_ROWS
parts_read() {
  local dir part kind fields
  for dir in "$LIB" "${NAMED_DIRS[@]}"; do
    [[ -e $dir/part/list || -L $dir/part/list ]] || continue
    [[ $dir == "$LIB" ]] || named_list "$dir/part/list"
    while read -r part || [[ -n $part ]]; do
      [[ -n $part && $part != '#'* ]] || continue
      [[ $dir == "$LIB" ]] || named_code "$dir/part/$part" "$part" "${PARTS[*]}"
      PARTS+=("$part")
      PART_DIR[$part]=$dir/part/$part
      [[ -e $dir/part/$part/part.tsv ]] || continue
      while IFS=$'\t' read -r kind fields; do
        [[ -n $kind && $kind != '#'* ]] || continue
        # Without what it declares, the part would act otherwise than its file says.
        [[ $kind == @(label|setting|program|limit|reply|files|merge) ]] ||
          die_usage "environment: TIERBENCH_PATH=$dir/part/$part/part.tsv: $kind: unknown row; accepted: label setting program limit reply files merge"
        PART_ROWS["$part $kind"]+=$fields$'\n'
      done <"$dir/part/$part/part.tsv"
    done <"$dir/part/list"
  done
}

# Refuse a part of a user with a hook at a point that does not exist, which would never be called, or without the hook that says when it acts.
# Usage: parts_check PART
# Globals: its functions, which are loaded
parts_check() {
  local name file=${PART_DIR[$1]}/master.sh acts=''
  local -a names
  [[ ${PART_DIR[$1]} != "$LIB"/* ]] || return 0
  mapfile -t names < <(compgen -A function "${1}_")
  for name in "${names[@]}"; do
    [[ $name =~ ^"${1}"_(at|got|lost)_(.*)$ ]] || continue
    acts=yes
    [[ ${BASH_REMATCH[2]} == @(up|instances|load|start|stop|mark|done) ]] ||
      die_usage "environment: TIERBENCH_PATH=$file: $name: no such point; accepted: up instances load mark start stop done"
  done
  [[ -z $acts ]] || declare -F "${1}_wanted" >/dev/null ||
    die_usage "environment: TIERBENCH_PATH=$file: ${1}_wanted: missing; add it: it says whether the settings ask for the part"
}

# The files of a name that parts have, in the order of the parts.
# Usage: parts_files NAME
# Returns: sets REPLY, with a line feed in front of each
parts_files() {
  local part
  REPLY=
  for part in "${PARTS[@]}"; do [[ ! -e ${PART_DIR[$part]}/$1 ]] || REPLY+=$'\n'${PART_DIR[$part]}/$1; done
}

# The lists of settings: those of all runs, and those of the parts. There are no others.
# Usage: parts_settings
# Returns: sets REPLY, one path per line
parts_settings() {
  parts_files settings.conf
  REPLY=$ROOT/conf/defaults.conf$REPLY
}

# The lists of result columns: those of all runs, and those of the parts.
# Usage: parts_columns
# Returns: sets REPLY, one path per line
parts_columns() {
  [[ -n $_PARTS_COLUMNS ]] || {
    parts_files columns.tsv
    _PARTS_COLUMNS=$LIB/results/schema.tsv$REPLY
  }
  REPLY=$_PARTS_COLUMNS
}

# The fields of the only row of a kind.
# Usage: parts_row PART KIND
# Returns: sets REPLY; 1 without such a row
parts_row() {
  REPLY=${PART_ROWS["$1 $2"]-}
  REPLY=${REPLY%%$'\n'*}
  [[ -n $REPLY ]]
}

# Print a file of awk of all parts, and a function parts_HOOK for each HOOK, which calls the functions NAME_HOOK of those that have one.
# Usage: parts_awk FILE HOOK...
parts_awk() {
  local file=$1 hook name text
  local -A calls=()
  shift
  for name in "${PARTS[@]}"; do
    [[ -e ${PART_DIR[$name]}/$file ]] || continue
    IFS= read -r -d '' text <"${PART_DIR[$name]}/$file" || :
    printf '%s\n' "$text"
    for hook; do [[ $text != *"function ${name}_$hook("* ]] || calls[$hook]+="  ${name}_$hook()"$'\n'; done
  done
  for hook; do printf 'function parts_%s() {\n%s}\n' "$hook" "${calls[$hook]-}"; done
}
