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

package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Paths;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.junit.jupiter.api.Test;

class MecesRocksDBOptionsTest {

    private final Configuration cluster = new Configuration();

    @Test
    void takesASize() {
        assertThat(MecesRocksDBOptions.filesFrom(cluster)).isEqualTo(512 << 10);
        cluster.setString("meces.state.rocksdb.files-from", "3 mb");
        assertThat(MecesRocksDBOptions.filesFrom(cluster)).isEqualTo(3 << 20);
    }

    @Test
    void refusesWhatIsNoneWhereTheJobIsSubmitted() throws Exception {
        RocksDBStateBackend flinks = new RocksDBStateBackend("file:///checkpoints");
        cluster.setString("meces.state.rocksdb.files-from", "many");
        assertThatThrownBy(() -> MecesRocksDBStateBackend.inPlaceOf(flinks, cluster))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.state.rocksdb.files-from must be a size, as 512 kb");
    }

    @Test
    void theOperatorGuideTellsOfIt() {
        assertThat(Paths.get("..", "docs", "operator-guide.md"))
                .content()
                .contains(
                        String.format(
                                "`%s` (%s)",
                                MecesRocksDBOptions.FILES_FROM.key(),
                                MecesRocksDBOptions.FILES_FROM.defaultValue()));
    }
}
