#!/usr/bin/env bash
# The kubernetes.entry.path of an image with Flink 1.20 or 2.3 and flink-meces: does what the entry
# point of Flink's image does, with a JobManager whose jobs can be rescaled. TaskManagers are started
# as they are. Of Flink 1.12 the command of a container is configured instead, and needs no script.
script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do
  target=$(readlink "$script")
  [[ $target == /* ]] || target=$(dirname "$script")/$target
  script=$target
done
home=$(cd "$(dirname "$script")/.." && pwd -P)

# Flink's scripts run the java of JAVA_HOME; ours puts the launcher before Flink's main class.
if [[ -n ${JAVA_HOME:-} ]]; then
  export MECES_JAVA_RUN=$JAVA_HOME/bin/java
else
  MECES_JAVA_RUN=$(command -v java) || {
    echo "JAVA_HOME is not set, and there is no java in the PATH." >&2
    exit 1
  }
  export MECES_JAVA_RUN
fi
export JAVA_HOME=$home/libexec/kubernetes
exec "${MECES_ENTRY_PATH:-/docker-entrypoint.sh}" "$@"
