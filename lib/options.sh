# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The command line that run, plan, doctor and stop share, and the settings that it leads to.

# Read the command line and resolve all settings for the baseline variant.
# Usage: options_read FILE WORD...
#   FILE is the command's own, whose header comment is its help
# Returns: sets RESUME (a run's folder, or empty), HOSTS_FILE (or empty) and FORCE; exits 0 after --help, 2 on a bad word.
options_read() {
  local file=$1 hosts='' scenario='' variants='' words=''
  shift
  RESUME='' FORCE=''
  while (($# > 0)); do
    [[ $1 != -[svH] && $1 != --resume ]] || (($# > 1)) || die_usage "$1 needs a value"
    case $1 in
      -s)
        scenario=$2
        shift
        ;;
      -v)
        variants+=" $2"
        shift
        ;;
      -H)
        hosts=$2
        shift
        ;;
      --resume)
        RESUME=$2
        shift
        ;;
      --force) FORCE=yes ;;
      -h | --help)
        options_help "$file"
        exit 0
        ;;
      -*) die_usage "unknown option $1 (see ./do_it.sh $(basename "$file" .sh) --help)" ;;
      *=*)
        conf_word argument "$1" "command line"
        words+=" $1"
        ;;
      *) die_usage "unexpected word '$1' (settings are given as NAME=VALUE)" ;;
    esac
    shift
  done
  if [[ -n $RESUME ]]; then
    [[ -z $scenario$variants$hosts$words ]] ||
      die_usage "--resume goes on with the settings of that run and takes no others"
    _options_resume
  else
    conf_environment
    [[ -z $hosts ]] || hosts_read "$hosts"
    HOSTS_FILE=$hosts
    [[ -z $variants ]] || conf_word argument "VARIANTS=$variants" "command line: -v"
    _options_scenario "$scenario"
  fi
  conf_resolve
  variant_check
  variant_use "${VARIANTS%% *}"
}

# Print the header comment of a file: what stands between the licence line and the first line of code.
# Usage: options_help FILE
options_help() {
  awk '!/^#/ { exit } !/^#!|SPDX|shellcheck/ { sub(/^# ?/, ""); print }' "$1"
}

# Print the help of a command whose words ask for it.
# Usage: options_asked_help FILE WORD...
# Returns: 0 when it was asked for, 1 when not
options_asked_help() {
  local file=$1 word
  shift
  for word; do
    case $word in
      -h | --help)
        options_help "$file"
        return 0
        ;;
      --) return 1 ;;
    esac
  done
  return 1
}

# Refuse a variant that has no file.
# Usage: variant_check
variant_check() {
  local variant
  for variant in $VARIANTS; do
    [[ -r $(_variant_file "$variant") ]] ||
      conf_refuse VARIANTS "there is no variant $variant (./do_it.sh list names them)"
  done
}

# Resolve the settings with a variant's file in its layer, or with none when VARIANT is empty.
# Usage: variant_use VARIANT
variant_use() {
  conf_clear variant
  [[ -z $1 ]] || conf_file variant "$(_variant_file "$1")"
  conf_resolve
  hosts_clients
  fill_settle
}

# Print what a variant's file sets, as NAME=VALUE; nothing when there is no such file any more.
# Usage: variant_sets VARIANT
variant_sets() (
  # Not the one of a run that goes on: that has every setting.
  [[ -r $ROOT/conf/variants/$1.conf ]] || exit 0
  conf_clear variant
  conf_file variant "$ROOT/conf/variants/$1.conf"
  conf_said variant
)

# Print the settings that, read as a scenario, repeat the run: without what variants set, for each brings its own along, and with a
# list of those that stand above theirs.
# Usage: options_print
# Returns: leaves the settings resolved without a variant
options_print() {
  local over
  variant_use ''
  server_auto
  over=$(conf_over)
  [[ -z $over ]] || printf 'OVER="%s"\n' "${over//$'\n'/ }"
  conf_print
}

# A run that goes on reads the settings it began with, not what the files say by now.
_variant_file() {
  if [[ -n $RESUME ]]; then
    echo "$RESUME/$1/variant.conf"
  else
    echo "$ROOT/conf/variants/$1.conf"
  fi
}

_options_resume() {
  RESUME=${RESUME%/}
  [[ -r $RESUME/run.conf ]] || die_usage "--resume: $RESUME is not a run: it has no run.conf"
  [[ ! -e $RESUME/hosts ]] || hosts_read "$RESUME/hosts"
  conf_file scenario "$RESUME/run.conf"
  # Each variant's file has it all already, as it came out with that one.
  conf_clear over
}

# Load the scenario: a name, or a file (the run.conf of an earlier run, say).
_options_scenario() {
  local file=$1
  conf_resolve
  [[ -n $file ]] || file=$SCENARIO
  if [[ $file != */* ]]; then
    [[ -r $ROOT/conf/scenarios/$file.conf ]] ||
      die_usage "there is no scenario $file (./do_it.sh list names them)"
    [[ -z $1 ]] || conf_word argument "SCENARIO=$file" "command line: -s"
    file=$ROOT/conf/scenarios/$file.conf
  fi
  conf_file scenario "$file"
}
