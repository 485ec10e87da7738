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

script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do
  target=$(readlink "$script")
  [[ $target == /* ]] || target=$(dirname "$script")/$target
  script=$target
done
home=$(cd "$(dirname "$script")/.." && pwd -P)

flink_script=jobmanager.sh
entry_point=standalonesession
. "$home/libexec/start"
