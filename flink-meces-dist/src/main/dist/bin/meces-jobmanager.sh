#!/usr/bin/env bash
# Starts or stops, on this machine, a JobManager whose jobs can be rescaled while they run. It is
# started by the scripts of the Flink in FLINK_HOME, which is not changed: same configuration, same
# log files, same pid file.
usage="Usage: FLINK_HOME=... meces-jobmanager.sh (start|start-foreground|stop) [ARGUMENT...]

  start              starts a JobManager in the background (session cluster)
  start-foreground   starts one as a console application
  stop               stops the last one that was started

ARGUMENTs are those of Flink's session cluster: --host HOST, --webui-port PORT, -Dkey=value.
TaskManagers are started as ever, by Flink's taskmanager.sh."

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do
  target=$(readlink "$script")
  [[ $target == /* ]] || target=$(dirname "$script")/$target
  script=$target
done
home=$(cd "$(dirname "$script")/.." && pwd -P)

command=${1:-}
case $command in
  start | start-foreground | stop) shift ;;
  -h | --help | help)
    echo "$usage"
    exit 0
    ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
esac

[[ -n ${FLINK_HOME:-} ]] || fail "FLINK_HOME is not set. Set it to the directory of your Flink 1.12:" \
  "  export FLINK_HOME=/opt/flink"
for needed in config.sh jobmanager.sh flink-daemon.sh flink-console.sh; do
  [[ -r $FLINK_HOME/bin/$needed ]] \
    || fail "FLINK_HOME is $FLINK_HOME, but there is no bin/$needed. It must be the directory of a Flink 1.12."
done
FLINK_HOME=$(cd "$FLINK_HOME" && pwd -P)

if [[ $command == stop ]]; then
  exec "$FLINK_HOME/bin/jobmanager.sh" stop
fi

# What Flink would tell late, in a log file, or by a job that cannot be rescaled.
shopt -s nullglob
dist=("$FLINK_HOME"/lib/flink-dist*.jar)
[[ ${#dist[@]} == 1 ]] || fail "There must be one flink-dist jar in $FLINK_HOME/lib, but there are ${#dist[@]}."
version=${dist[0]##*-dist}
version=${version#*-}
version=${version%.jar}
[[ $version == 1.12.* || $version == 1.12-* ]] \
  || fail "The Flink in $FLINK_HOME is $version. flink-meces needs 1.12.x."

# not those of transition services
jars=("$FLINK_HOME"/lib/flink-meces-[0-9]*.jar)
if [[ ${#jars[@]} == 0 ]]; then
  fail "The jar of flink-meces is not in $FLINK_HOME/lib. On every JobManager and TaskManager:" \
    "  cp $home/lib/flink-meces-*.jar $FLINK_HOME/lib/"
elif [[ ${#jars[@]} != 1 ]]; then
  fail "There must be one jar of flink-meces in $FLINK_HOME/lib, but there are:" "${jars[@]/#/  }"
fi

# Flink's scripts find the installation by their own path, or are told so.
export FLINK_HOME _FLINK_HOME_DETERMINED=true
. "$FLINK_HOME/bin/config.sh"
[[ -r $YAML_CONF ]] || fail "There is no $YAML_CONF."

# The value of a key: the arguments' before the file's.
configured() {
  local value argument previous=
  value=$(readFromConfig "$1" "" "$YAML_CONF")
  for argument in "${arguments[@]}"; do
    [[ $previous == -D ]] && argument=-D$argument
    [[ $argument == "-D$1="* ]] && value=${argument#*=}
    previous=$argument
  done
  echo "$value"
}

arguments=("$@")
shuffle=io.meces.runtime.shuffle.ElasticShuffleServiceFactory
backend=io.meces.state.MecesStateBackendFactory
[[ $(configured shuffle-service-factory.class) == "$shuffle" ]] || fail \
  "A key is missing in $YAML_CONF. On every JobManager and TaskManager:" \
  "  shuffle-service-factory.class: $shuffle" \
  "All that flink-meces needs: cat $home/conf/meces.yaml >> $YAML_CONF"
[[ $(configured state.backend) == "$backend" ]] || printf '%s\n' \
  "[WARN] state.backend in $YAML_CONF is not $backend:" \
  "[WARN] only jobs that set a MecesStateBackend themselves can be rescaled." >&2

# As Flink's jobmanager.sh, with another main class: see libexec/config.sh.
export FLINK_ENV_JAVA_OPTS="$FLINK_ENV_JAVA_OPTS $FLINK_ENV_JAVA_OPTS_JM"
parseJmArgsAndExportLogs "${arguments[@]}"
arguments=(--configDir "$FLINK_CONF_DIR" --executionMode cluster "${arguments[@]}" $DYNAMIC_PARAMETERS)
export MECES_LIBEXEC=$home/libexec
run='script=$1; shift; . "$script"'
if [[ $command == start-foreground ]]; then
  exec bash -c "$run" "$MECES_LIBEXEC/flink" "$FLINK_HOME/bin/flink-console.sh" standalonesession "${arguments[@]}"
fi
exec bash -c "$run" "$MECES_LIBEXEC/flink" "$FLINK_HOME/bin/flink-daemon.sh" start standalonesession "${arguments[@]}"
