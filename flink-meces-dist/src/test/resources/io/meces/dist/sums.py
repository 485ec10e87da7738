# SPDX-License-Identifier: Apache-2.0
"""Counts numbers by key in Python: for each number a line with its key and the count so far.

Arguments: how many numbers, how many of them per second, directory of the results.
"""
import sys

from pyflink.common.serialization import SimpleStringEncoder
from pyflink.common.typeinfo import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors import StreamingFileSink
from pyflink.datastream.functions import SourceFunction
from pyflink.java_gateway import get_gateway

KEYS = 97


def main(numbers, rate, results):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.enable_checkpointing(1000)
    package = get_gateway().jvm.org.apache.flink.streaming.api.functions.source.datagen
    source = package.DataGeneratorSource(
        package.SequenceGenerator.longGenerator(1, numbers), rate, numbers)
    counts = (
        env.add_source(SourceFunction(source), 'numbers', Types.LONG())
        .set_parallelism(1)
        .map(lambda n: (n % KEYS, 1), output_type=Types.TUPLE([Types.LONG(), Types.LONG()]))
        .key_by(lambda pair: pair[0], key_type_info=Types.LONG())
        .reduce(lambda a, b: (a[0], a[1] + b[1])))
    counts.name('sum')
    (counts.map(lambda pair: '%d %d' % pair, output_type=Types.STRING())
        .add_sink(StreamingFileSink.for_row_format(results, SimpleStringEncoder()).build()))
    env.execute('sums')


if __name__ == '__main__':
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
