# Flink's flink-daemon.sh and flink-console.sh read the config.sh that stands next to what they are
# called; ours has them read this one. It is Flink's own, and java is ours.
. "$FLINK_HOME/bin/config.sh"

export MECES_JAVA_RUN=$JAVA_RUN
PATH=$MECES_LIBEXEC:$PATH
JAVA_RUN=meces-java
