#!/usr/bin/env bash
# Starts or stops, on this machine, a JobManager for one application (application mode), whose jobs
# can be rescaled while they run. It is started by the scripts of the Flink in FLINK_HOME, which is
# not changed: same configuration, same log files, same pid file.
usage="Usage: FLINK_HOME=... meces-standalone-job.sh (start|start-foreground|stop) [ARGUMENT...]

  start              starts a JobManager in the background, which runs the application
  start-foreground   starts one as a console application
  stop               stops the last one that was started

ARGUMENTs are those of Flink's standalone-job.sh: --job-classname CLASS, --job-id ID,
--fromSavepoint PATH, --allowNonRestoredState, --host HOST, --webui-port PORT, -Dkey=value, and then
those of the application, whose jar is in lib or usrlib of FLINK_HOME.
TaskManagers are started as ever, by Flink's taskmanager.sh."

script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do
  target=$(readlink "$script")
  [[ $target == /* ]] || target=$(dirname "$script")/$target
  script=$target
done
home=$(cd "$(dirname "$script")/.." && pwd -P)

flink_script=standalone-job.sh
entry_point=standalonejob
. "$home/libexec/start"
