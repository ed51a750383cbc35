# Completion of the reprise command for bash.

_reprise() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'run record replay debug gdbserver dap backtrace who core checkpoint solve ls stat dump pack rm trigger cache sim help --help --version' -- "$word")
    return
  fi
  case $command in
    help)
      [ "$COMP_CWORD" -gt 2 ] || mapfile -t COMPREPLY < <(compgen -W 'run record replay debug gdbserver dap backtrace who core checkpoint solve ls stat dump pack rm trigger cache sim help' -- "$word")
      ;;
    run)
      _reprise_run "$word"
      ;;
    record)
      _reprise_record "$word"
      ;;
    replay)
      _reprise_options "$word" '--quiet --unconfined --no-cache --goto= --json --from= --until= --verify --jobs= --print-jobs --serial --solved --turns --checkpoints --restarts --tries='
      ;;
    debug)
      _reprise_options "$word" '--at= --gdb= --unconfined'
      ;;
    gdbserver)
      _reprise_options "$word" '--port= --at= --apart= --unconfined'
      ;;
    backtrace)
      _reprise_options "$word" '--at= --all-threads --json --gdb= --unconfined'
      ;;
    checkpoint)
      _reprise_options "$word" '--every= --at= --list --remove --remove= --unconfined'
      ;;
    solve)
      _reprise_options "$word" '--jobs= --states= --unconfined'
      ;;
    who)
      _reprise_options "$word" '--at= --process= --json --unconfined'
      ;;
    core)
      _reprise_options "$word" '--at= --pid= --output= --force --quiet --unconfined'
      ;;
    sim)
      [ "$COMP_CWORD" -gt 2 ] || mapfile -t COMPREPLY < <(compgen -W 'run record replay boot figures' -- "$word")
      [ "$COMP_CWORD" -le 2 ] || _reprise_options "$word" '--harts= --seed= --preset= --config= --set= --flat --tso --scheme= --max-episode= --output= --stats --json --trace= --from-checkpoint --initrd= --append= --type= --disk= --replay= --quick --seeds= --programs= --manifest= --print-jobs --collect --job='
      ;;
    cache)
      mapfile -t COMPREPLY < <(compgen -W '--clear' -- "$word")
      ;;
    stat)
      _reprise_options "$word" '--json'
      ;;
    dump)
      _reprise_options "$word" '--json --thread= --kind= --from= --to='
      ;;
    ls | rm | trigger)
      _reprise_recordings "$word"
      ;;
    pack)
      [ "$COMP_CWORD" -gt 2 ] || _reprise_recordings "$word"
      ;;
  esac
}

# Options of these, or a recording.
_reprise_options() {
  if [ "${1#-}" != "$1" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
  else
    _reprise_recordings "$1"
  fi
}

# Options, then a command.
_reprise_record() {
  if [ "${1#-}" != "$1" ]; then
    mapfile -t COMPREPLY < <(compgen -W '--output --quiet --no-cache --order= --chunk= --max-episode= --chaos= --check-memory --epoch= --replica --values= --without= --flight= --trigger= --keep= --core --core= --' -- "$1")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$1")
  fi
}

# Options until the first word that is none; then a command, then its own completion or files.
_reprise_run() {
  local word=$1 i=2
  while [ "$i" -lt "$COMP_CWORD" ]; do
    case ${COMP_WORDS[i]} in
      --) i=$((i + 1)) && break ;;
      -* | = | none | accesses) i=$((i + 1)) ;; # --check=none arrives as three words
      *) break ;;
    esac
  done
  if [ "$i" -lt "$COMP_CWORD" ]; then
    if declare -F _command_offset >/dev/null; then
      _command_offset "$i"
    else
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
  elif [ "$word" = = ] || [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
    mapfile -t COMPREPLY < <(compgen -W 'none accesses' -- "${word#=}")
  elif [ "${word#-}" != "$word" ]; then
    mapfile -t COMPREPLY < <(compgen -W '--check=none --check=accesses --check=all --counters --no-cache --' -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$word")
  fi
}

# Recordings by name, and with nothing that fits, files and folders.
_reprise_recordings() {
  mapfile -t COMPREPLY < <(compgen -W "latest $(reprise ls 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$1")
}

complete -o default -F _reprise reprise
