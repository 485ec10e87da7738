// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.shaded.asm7.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm7.org.objectweb.asm.ClassVisitor;
import org.apache.flink.shaded.asm7.org.objectweb.asm.FieldVisitor;
import org.apache.flink.shaded.asm7.org.objectweb.asm.Opcodes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Connectors that are not run by a test have the members that sinks are drained by. Their classes
 * are read and not loaded, as what they need is not on the class path.
 */
class ConnectorMembersTest {

    @ParameterizedTest
    @CsvSource({
        "org.apache.flink.streaming.connectors.elasticsearch.ElasticsearchSinkBase,"
                + " bulkProcessor, org/elasticsearch/action/bulk/BulkProcessor",
        "org.apache.flink.streaming.connectors.elasticsearch.ElasticsearchSinkBase,"
                + " failureThrowable, java/util/concurrent/atomic/AtomicReference",
        "org.apache.flink.connector.hbase.sink.HBaseSinkFunction,"
                + " mutator, org/apache/hadoop/hbase/client/BufferedMutator",
        "org.apache.flink.connector.hbase.sink.HBaseSinkFunction,"
                + " failureThrowable, java/util/concurrent/atomic/AtomicReference"
    })
    void theConnectorHasTheField(String type, String field, String typeOfField) throws Exception {
        Set<String> fields = new HashSet<>();
        try (InputStream in =
                getClass().getResourceAsStream("/" + type.replace('.', '/') + ".class")) {
            new ClassReader(in)
                    .accept(
                            new ClassVisitor(Opcodes.ASM7) {
                                @Override
                                public FieldVisitor visitField(
                                        int access,
                                        String name,
                                        String descriptor,
                                        String signature,
                                        Object value) {
                                    fields.add(name + " " + descriptor);
                                    return null;
                                }
                            },
                            ClassReader.SKIP_CODE);
        }
        assertThat(fields).contains(field + " L" + typeOfField + ";");
    }
}
