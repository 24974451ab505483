# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The command line that run, plan, doctor and stop share, and the settings that result from it.

# Read the command line, and the files of all layers.
# Usage: options_read FILE WORD...
#   FILE is the command's own, whose header comment is its help
# Returns: sets RESUME (a run's directory, or empty), HOSTS_FILE (or empty) and FORCE; exits 0 after --help, 2 on an invalid argument, or if the
# settings of another person's file are refused.
options_read() {
  local file=$1 hosts='' scenario='' variants='' words='' trust=''
  shift
  RESUME='' FORCE='' HOSTS_FILE=''
  named_dirs
  while (($# > 0)); do
    [[ $1 != -[svH] && $1 != --resume || -n ${2-} ]] || die_usage "command line: $1: the value is missing; ./do_it.sh $(basename "$file" .sh) --help shows the options"
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
        _options_once "$1" "$hosts" "$2"
        hosts=$2
        shift
        ;;
      --resume)
        _options_once "$1" "$RESUME" "$2"
        RESUME=$2
        shift
        ;;
      --force)
        [[ ${file##*/} == stop.sh ]] || options_unknown "$1" "$file"
        FORCE=yes
        ;;
      --trust) trust=yes ;;
      -h | --help)
        options_help "$file"
        exit 0
        ;;
      -*) options_unknown "$1" "$file" ;;
      *=*)
        conf_word argument "$1" "command line"
        words+=" $1"
        ;;
      *) die_usage "command line: $1: unexpected argument; settings are given as NAME=VALUE" ;;
    esac
    shift
  done
  if [[ -n $RESUME ]]; then
    [[ -z $scenario$variants$hosts$words ]] ||
      die_usage "command line: --resume=$RESUME: conflicts with other settings: a resumed run uses its own; leave them out"
    _options_resume
  else
    conf_environment
    [[ -z $hosts ]] || _options_hosts "$hosts"
    HOSTS_FILE=$hosts
    [[ -z $variants ]] || conf_word argument "VARIANTS=$variants" "command line: -v"
    _options_scenario "$scenario"
    workload_read
  fi
  conf_resolve
  variant_check
  variant_read
  trust_ask "$trust"
  hosts_warn
}

# Refuse an option that names two things.
# Usage: _options_once OPTION BEFORE VALUE
# Returns: exits 2 if the option had a value before
_options_once() {
  [[ -z $2 ]] || die_usage "command line: $1=$3: conflicts with $1=$2; give it once"
}

# Give the first comment line after the licence, which describes a file, without a process: ./do_it.sh list asks for some fifty files.
# Usage: options_headline FILE
# Returns: sets REPLY, empty if the second line is no comment or cannot be read
options_headline() {
  local -a lines=()
  mapfile -t -s 1 -n 1 lines <"$1" || :
  REPLY=${lines[0]-}
  [[ $REPLY == '# '* ]] || REPLY=
  REPLY=${REPLY#'# '}
}

# Print the header comment of a file: the text between the licence line and the first line of code.
# Usage: options_help FILE
options_help() {
  awk '!/^#/ { exit } !/^#!|SPDX|shellcheck/ { sub(/^# ?/, ""); print }' "$1"
}

# Refuse an option that a command does not know, with the nearest one of its help.
# Usage: options_unknown OPTION FILE
#   FILE is the command's own, whose header comment is its help
# Returns: exits 2
options_unknown() {
  local command=${2##*/} REPLY
  local -a known
  mapfile -t known < <(options_help "$2" | grep -oE -- '(^|[[ ])--?[a-z][a-z-]*' | tr -d '[ ' | sort -u)
  nearest_hint "${1%%=*}" "./do_it.sh ${command%.sh} --help lists them" "${known[@]}"
  die_usage "command line: $1: unknown option; $REPLY"
}

# Print the help of a command if its arguments request it.
# Usage: options_asked_help FILE WORD...
# Returns: 0 if they do, 1 if not
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

# Read the command line of a command about one run: the run, and options without a value.
# Usage: options_run FILE OPTIONS WORD...
#   FILE is the command's own, whose header comment is its help; OPTIONS are accepted, separated by blanks
# Returns: sets OPTIONS_RUN (empty: the newest run) and OPTIONS_GIVEN, the options with a blank around each; 1 after help; exits 2 on a bad word.
options_run() {
  local file=$1 options=$2 word REPLY
  shift 2
  OPTIONS_RUN='' OPTIONS_GIVEN=' '
  ! options_asked_help "$file" "$@" || return 1
  conf_environment
  conf_resolve
  for word; do
    [[ -n $word ]] || die_usage "command line: RUN: empty; name a run, or leave it out for the newest one"
    if [[ " $options " == *" $word "* ]]; then
      OPTIONS_GIVEN+="$word "
    elif [[ $word == -* ]]; then
      options_unknown "$word" "$file"
    else
      [[ -z $OPTIONS_RUN ]] || die_usage "command line: $word: too many arguments; accepted: one run"
      OPTIONS_RUN=$word
    fi
  done
}

# Read the hosts and settings of the run RESUME.
# Usage: _options_resume
# Globals: RESUME, which loses a slash at its end
# Returns: exits 2 if the run cannot be resumed.
_options_resume() {
  RESUME=${RESUME%/}
  [[ -r $RESUME/run.conf ]] || die_usage "command line: --resume=$RESUME: not a run, run.conf is missing; ./do_it.sh list names runs"
  stored_check "$RESUME" || die_usage "command line: --resume=$RESUME: cannot be resumed (see the line above); start a new run"
  [[ -r $RESUME/plan.tsv ]] || die_usage "command line: --resume=$RESUME: plan.tsv is missing; restore the file, or start a new run"
  [[ ! -e $RESUME/hosts ]] || hosts_read "$RESUME/hosts"
  conf_file scenario "$RESUME/run.conf"
  # Each variant's file already has the value resolved for that variant.
  conf_clear over
}

# Read the hosts file of the command line. It has that layer, so it overrides a scenario with its own hosts, such as demo.
# Usage: _options_hosts FILE
# Returns: exits 2 if the file is invalid, or the command line names hosts too
_options_hosts() {
  local given
  given=$(conf_said argument | sed -nE '/^(SERVER|CLIENT_IP)=/p')
  hosts_read "$1" argument
  [[ -z $given ]] || die_usage "command line: -H=$1: conflicts with ${given/$'\n'/ and }; leave out one of the two ways"
}

# Load the scenario: a name, or a file such as the run.conf of an earlier run.
_options_scenario() {
  local file=$1 where="command line: -s" REPLY
  conf_resolve
  [[ -n $file ]] || file=$SCENARIO where=$(conf_where SCENARIO)
  if [[ $file != */* ]]; then
    named_find scenarios "$file" || {
      nearest_conf "$file" scenarios
      die_usage "$where: SCENARIO=$file: not found; $REPLY"
    }
    conf_file scenario "$REPLY"
    [[ -z $1 ]] || conf_word argument "SCENARIO=$file" "$where"
  else
    conf_file scenario "$file"
    # A user's file has its own name; a run.conf names the scenario that it came from.
    conf_said scenario | grep '^SCENARIO=' >/dev/null || conf_word argument "SCENARIO=$(basename "$file" .conf)" "command line: -s"
  fi
}
