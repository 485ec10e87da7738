#!/usr/bin/env bash
# As the entry point of the official image with a command that it does not know, or with that of a
# pod (native-k8s COMMAND_LINE): it brings in the settings of Flink's scripts, tells them the class
# path, and runs the command.
if [[ $# == 0 ]]; then
  echo "Which command?" >&2
  exit 2
fi
export _FLINK_HOME_DETERMINED=true
. "$FLINK_HOME/bin/config.sh"
FLINK_CLASSPATH=$(constructFlinkClassPath):$INTERNAL_HADOOP_CLASSPATHS
export FLINK_CLASSPATH
if [[ $1 == native-k8s ]]; then
  exec bash -c "$2"
fi
exec "$@"
