#!/usr/bin/env bash
exec java ${KAFKA_HEAP_OPTS:--Xmx256m} -XX:TieredStopAtLevel=1 \
  -Dlog4j.configuration="file:${KAFKA_LOG4J:-/etc/kafka/docker/tools-log4j.properties}" \
  -cp '/opt/kafka/libs/*' "$@"
