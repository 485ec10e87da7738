/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
