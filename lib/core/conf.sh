# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Settings: what says them goes to the reader of settings (lib/settings/read.awk), and the values in force come back.
# Their lists are those of parts_settings. The shell's variable of a part NAME.PART is NAME_PART, in capitals.

_CONF_INPUT=               # lines for the reader
_CONF_PATHS=('')           # the paths of the texts among them, by number
declare -A CONF_CHANGES=() # by variant, and by `VARIANT POINT`: lines VARIABLE=VALUE that differ from those of the run
CONF_ENTERED=              # the variant and the point whose settings are in force, separated by a tab
# Groups of lines of the reader and of the planner (lib/settings).
CONF_SET='' CONF_LAYER='' CONF_RUN=() CONF_CHANGE=() CONF_PART=() CONF_OVER=() CONF_OPTIONAL=() CONF_TRUST=() CONF_WARN=() CONF_ROW=() CONF_NOTE=() CONF_DOUBT=()

# Give a line to the reader of settings.
# Usage: conf_say WORD...
conf_say() {
  local IFS=$'\t'
  # No byte of the words ends a field or the line.
  set -- "${@//[$'\t\n']/ }"
  _CONF_INPUT+="$*"$'\n'
}

# Give one NAME=VALUE argument as a setting.
# Usage: conf_word LAYER WORD WHERE
conf_word() {
  conf_say word "$1" "$3"
  _CONF_INPUT=${_CONF_INPUT%$'\n'}$'\t'${2//$'\n'/$'\001'}$'\n'
}

# Give the settings in the environment of this script. A shell has no variable with the name of a part, so the kernel's copy is read.
# Usage: conf_environment
conf_environment() {
  local lines
  local -a pairs
  mapfile -d '' -t pairs <"/proc/$$/environ"
  printf -v lines 'environment\t%s\n' "${pairs[@]//$'\n'/$'\001'}"
  _CONF_INPUT+=$lines
}

# Give a file of settings.
# Usage: conf_text OF NAME FILE
#   OF and NAME as in lib/settings/read.awk
# Returns: exits 2 if the file cannot be read
conf_text() {
  local REPLY
  local -a lines
  file_read "$3" || die_usage "$3: $REPLY; name a file of settings that you can read"
  trust_file "$3" "$REPLY"
  mapfile -t lines <<<"$REPLY"
  _CONF_PATHS+=("$3")
  conf_say text "$1" "$2" "$3" "${#lines[@]}"
  _CONF_INPUT+=$REPLY$'\n'
}

# Find a file that the reader asks for, and give it.
# Usage: _conf_wanted OF NAME
_conf_wanted() {
  local REPLY
  case $1 in
    found)
      _conf_found "$2"
      return
      ;;
    run) REPLY=$RESUME/$2/variant.conf ;;
    [1-9]*) REPLY=${_CONF_PATHS[$1]%/*}/$2.conf ;;
    *) named_find "$1" "$2" || : ;;
  esac
  if [[ -e $REPLY ]]; then conf_text "$1" "$2" "$REPLY"; else conf_say none "$1" "$2"; fi
}

# Give the rates that the searches of a run found, one row per search and repeat, in front of the settings that name the run.
# Usage: _conf_found DIR
#   DIR is a run, or a variant in one
# Returns: exits 2 if its files cannot be read, or a search was truncated or changed
_conf_found() {
  local file lines run=$1 kind path why
  local -a files=()
  while IFS=$'\t' read -r kind path why; do
    [[ $kind == odd || $path == */search.tsv ]] || continue
    stored_say "$1" "$kind" "$path" "$why" >&2
    die_usage "RATE=PERCENT@$1: cannot be read (see the line above); name another run with RATE=search"
  done < <(stored_look "$1")
  # A path must not look like an assignment to awk.
  [[ $run == /* ]] || run=./$run
  for file in "$run"/*/rep-*/search.tsv "$run"/*/*/rep-*/search.tsv; do [[ $file != */rep-+([0-9])/search.tsv || ! -f $file ]] || files+=("$file"); done
  lines=$(LC_ALL=C FROM=$1 awk -F '\t' -v OFS='\t' '
    FNR == 1 { n = split(FILENAME, part, "/"); for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["load_unit"] == "ops_per_sec" && $at["search"] ~ /^(found|client|open)$/ && $at["load"] ~ /^[0-9]+([.][0-9]+)?$/ && $at["phase"] ~ /^[a-z0-9-]+$/ {
      print "found", ENVIRON["FROM"], part[n - 3] "/" part[n - 2] "/" $at["phase"], $at["load"] }' "${files[@]:-/dev/null}" | LC_ALL=C sort)
  _CONF_INPUT=${lines:-found$'\t'$1}$'\n'$_CONF_INPUT
}

# Read the settings, and put those of the run in force.
# Usage: conf_read [PROGRAM]...
#   PROGRAM is a file of the program after those of the reader (lib/settings/main.awk)
# Returns: exits 2 on invalid settings, or if those of another person's file are refused
conf_read() {
  local file line
  local -a files=("$LIB"/settings/{kind,layers,read,files,found}.awk "${@:-$LIB/settings/main.awk}")
  while conf_awk "$_CONF_INPUT" "${files[@]}" && [[ $REPLY == want$'\t'* ]]; do
    IFS=$'\t' read -r _ line file <<<"$REPLY"
    _conf_wanted "$line" "$file"
  done
  conf_take "$REPLY"
  for line in "${CONF_WARN[@]}"; do log_warn "$line"; done
  for line in "${CONF_TRUST[@]}"; do trust_note "${_CONF_PATHS[${line%%$'\t'*}]}" "${line#*$'\t'}"; done
  trust_ask
  # Else a variable of the environment would stay exported.
  unset -v "${CONF_RUN[@]%%=*}"
  declare -g -- "${CONF_RUN[@]}"
  read -r -a SERVERS <<<"$SERVER"
  HOST=${SERVERS[*]}
}

# Run the reader of settings, or the planner.
# Usage: conf_awk INPUT FILE...
# Globals: LIB ROOT RESUME
# Returns: sets REPLY, the lines that it prints; exits 2 if it refuses the settings
conf_awk() {
  local input=$1 status=0 kind name schema
  shift
  parts_columns
  schema=$REPLY
  parts_settings
  REPLY=$(LIB=$LIB ROOT=$ROOT RESUME=${RESUME-} LISTS=$REPLY IN_RUN=$NAMED_IN_RUN SCHEMA=$schema TIERS=${TIERS[*]} LC_ALL=C exec awk "${@/#/-f}" <<<"$input") || status=$?
  case $status:$REPLY in
    2:refuse$'\t'*) die_usage "${REPLY#*$'\t'}" ;;
    2:near$'\t'*)
      IFS=$'\t' read -r _ kind name input <<<"$REPLY"
      nearest_conf "$name" "$kind"
      die_usage "$input$REPLY"
      ;;
  esac
  ((status == 0)) || die "the program of the settings failed: ${REPLY##*$'\n'}"
}

# Take the groups of lines that the reader or the planner printed.
# Usage: conf_take TEXT
conf_take() {
  local LC_ALL=C text=$1 i line at=1
  local -a lines counts
  read -r -a counts <<<"${text%%$'\n'*}"
  # The longest texts are not split into lines here, which takes time.
  for ((i = 0; i < ${#counts[@]} && counts[i + 1] < 0; i += 2)); do
    printf -v "CONF_${counts[i]^^}" '%s' "${text:counts[i + 1]}"
    text=${text:0:${#text}+counts[i + 1]-1}
  done
  mapfile -t lines <<<"$text"
  for (( ; i < ${#counts[@]}; i += 2)); do
    local -n _conf_group=CONF_${counts[i]^^}
    _conf_group=("${lines[@]:at:counts[i + 1]}")
    at=$((at + counts[i + 1]))
  done
  CONF_CHANGES=()
  for line in "${CONF_CHANGE[@]}"; do CONF_CHANGES[${line%%$'\t'*}]+=${line#*$'\t'}$'\n'; done
}

# Set a setting that a host decides, such as the variants that remain, for the planner.
# Usage: conf_keep NAME VALUE
conf_keep() {
  CONF_LAYER+=$'\nsetting\targument\t'$1$'\t'$(conf_where "$1")$'\t'$2
  declare -g -- "$1=$2"
}

# Print the source of a setting's value, for messages: `file:line`, `environment` or `command line`.
# Usage: conf_where NAME
conf_where() {
  local line where=''
  while IFS= read -r line; do
    [[ $line != @(-$'\t'-|"${CONF_ENTERED%$'\t'*}"$'\t'-|"$CONF_ENTERED")$'\t'"$1"$'\t'* ]] || where=${line##*$'\t'}
  done <<<"$CONF_SET"
  printf '%s' "$where"
}

# The value of a setting in force.
# Usage: conf_value NAME
# Returns: sets REPLY
conf_value() {
  conf_variable "$1"
  REPLY=${!REPLY}
}

# Whether a setting in force has its default, which is a plain word.
# Usage: conf_is_default NAME
conf_is_default() {
  local REPLY value
  local -a lists
  conf_value "$1"
  value=$REPLY
  parts_settings
  mapfile -t lists <<<"$REPLY"
  [[ $'\n'$(cat -- "${lists[@]}") == *$'\n'"$1=$value  #: "* ]]
}

# Refuse a setting in force that conflicts with other settings.
# Usage: conf_refuse NAME REASON...
conf_refuse() {
  local name=$1 REPLY
  conf_value "$1"
  shift
  ((${#REPLY} <= 300)) || REPLY=${REPLY:0:300}...
  die_usage "$(conf_where "$name"): $name=$REPLY: $*"
}

# Print every setting in force as an assignment that is read back.
# Usage: conf_print
conf_print() {
  local i name variable
  local -a lines
  mapfile -t lines <<<"$CONF_SET"
  for i in "${!CONF_RUN[@]}"; do
    name=${lines[i]#-?-?} variable=${CONF_RUN[i]%%=*}
    printf '%s="%s"\n' "${name%%$'\t'*}" "${!variable}"
  done
}

# The variable of a setting: KERNEL.thp -> KERNEL_THP.
# Usage: conf_variable NAME
# Returns: sets REPLY
conf_variable() {
  REPLY=${1^^}
  REPLY=${REPLY//[.-]/_}
}

# Print what the file of a variant sets, as NAME=VALUE; nothing if the file no longer exists.
# Usage: conf_sets VARIANT
conf_sets() {
  local layer=variant
  # That file of a resumed run has every setting.
  [[ -z $RESUME ]] || layer="file"
  LAYER=$layer:$1 awk -F '\t' '$1 == "setting" && $2 == ENVIRON["LAYER"] { print $3 "=" $5 }' <<<"$CONF_LAYER"
}

# Print the names of the tenants, also of those whose file sets nothing.
# Usage: conf_tenants
# Globals: TENANTS
conf_tenants() {
  local name
  local -a tenants=()
  [[ $TENANTS == none ]] || read -r -a tenants <<<"$TENANTS"
  for name in "${tenants[@]}"; do printf '%s\n' "${name%%[*]*}"; done
}

# Print the settings of a tenant's file, and of the workload that it names, as assignments.
# Usage: conf_tenant NAME
conf_tenant() {
  LAYER=tenant:$1 awk -F '\t' '$1 == "setting" && $2 == ENVIRON["LAYER"] { print $3 "=\"" $5 "\"" }' <<<"$CONF_LAYER" | LC_ALL=C sort
}

# A size in bytes: 10K -> 10240.
# Usage: conf_size SIZE
# Returns: sets REPLY
conf_size() {
  REPLY=${1%[KMG]}
  case $1 in
    *K) REPLY=$((REPLY << 10)) ;;
    *M) REPLY=$((REPLY << 20)) ;;
    *G) REPLY=$((REPLY << 30)) ;;
  esac
}
