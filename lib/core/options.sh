# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The command line that run, plan, doctor, stop and list share.

# Read the command line, and give its settings and the hosts to the reader of settings (conf_read).
# Usage: options_read FILE WORD...
#   FILE is the command's own, whose header comment is its help
# Returns: sets RESUME (a run's directory, or empty), HOSTS_FILE (or empty) and FORCE; exits 0 after --help, 2 on an invalid argument
options_read() {
  local file=$1 hosts='' scenario='' variants='' words='' quick=''
  shift
  RESUME='' FORCE='' HOSTS_FILE=''
  _options_named
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
      -q) quick=yes ;;
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
      --trust) TRUST_GIVEN=yes ;;
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
    [[ -z $scenario$variants$hosts$words$quick ]] ||
      die_usage "command line: --resume=$RESUME: conflicts with other settings: a resumed run uses its own; leave them out"
    _options_resume
  else
    conf_environment
    if [[ -n $hosts ]]; then
      conf_say hosts "$hosts"
      # It has this layer, so it overrides a scenario with its own hosts, such as demo.
      hosts_read "$hosts" argument
    fi
    HOSTS_FILE=$hosts
    [[ -z $quick ]] || conf_word over QUICK=on "command line: -q"
    [[ -z $variants ]] || conf_word argument "VARIANTS=$variants" "command line: -v"
    if [[ $scenario == */* ]]; then
      conf_text scenario '' "$scenario"
      scenario=$(basename "$scenario" .conf)
    fi
    conf_say scenario "$scenario"
  fi
}

# Give the names of files in the directories of TIERBENCH_PATH to the reader of settings.
_options_named() {
  local kind file
  local -a NAMED_FILES
  for kind in scenarios variants workloads tenants; do
    ((${#NAMED_DIRS[@]} > 1)) || return 0
    named_files "$kind"
    for file in "${NAMED_FILES[@]}"; do
      [[ $file == "$ROOT"/conf/* ]] || conf_say named "$kind" "$(basename "$file" .conf)"
    done
  done
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
  { mapfile -t -s 1 -n 1 lines <"$1"; } 2>/dev/null || :
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

# Refuse an empty name of a run, such as that of a variable that is not set: it does not mean the newest run.
# Usage: options_named WORD
# Returns: exits 2
options_named() {
  [[ -n $1 ]] || die_usage "command line: RUN: empty; name a run, or leave it out for the newest one"
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
  conf_read
  for word; do
    options_named "$word"
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
  conf_text scenario '' "$RESUME/run.conf"
  conf_say scenario ''
}
